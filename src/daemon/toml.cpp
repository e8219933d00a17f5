/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The one C++ file: toml++ behind a C face; no exception crosses it. */
#define TOML_HEADER_ONLY 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "daemon/toml.h"

struct TomlDocument {
    std::deque<std::string> strings; /* stable addresses */
    std::vector<TomlValue> values;

    const char *keep(std::string text)
    {
        strings.push_back(std::move(text));
        return strings.back().c_str();
    }

    /* A key that looks like a path, or ends early in C, must not pass for another one. */
    static std::string shown(std::string_view key)
    {
        std::string out(key);
        if (out.find_first_of(std::string_view(".[]\"\0", 5)) == std::string::npos && !out.empty())
            return out;
        std::replace(out.begin(), out.end(), '\0', '?');
        return '"' + out + '"';
    }

    void add(const toml::node &node, const std::string &path, bool in_array)
    {
        TomlValue value{};
        value.path = keep(path);
        value.in_array = in_array;
        value.line = node.source().begin.line;
        value.column = node.source().begin.column;
        if (auto string = node.as_string()) {
            value.type = TOML_STRING;
            value.string = keep(string->get());
            value.length = string->get().size();
        } else if (auto integer = node.as_integer()) {
            value.type = TOML_INTEGER;
            value.integer = integer->get();
        } else if (auto number = node.as_floating_point()) {
            value.type = TOML_FLOAT;
            value.number = number->get();
        } else if (auto boolean = node.as_boolean()) {
            value.type = TOML_BOOLEAN;
            value.boolean = boolean->get();
        } else if (auto array = node.as_array()) {
            value.type = TOML_ARRAY;
            value.length = array->size();
        } else {
            value.type = node.is_table() ? TOML_TABLE : TOML_DATE;
        }
        values.push_back(value);
        if (auto array = node.as_array()) {
            size_t index = 0;
            for (auto &element : *array)
                add(element, path + "[" + std::to_string(index++) + "]", true);
        }
        if (auto table = node.as_table())
            for (auto &&[key, child] : *table)
                add(child, path.empty() ? shown(key.str()) : path + "." + shown(key.str()),
                    in_array);
    }
};

static bool earlier(const TomlValue &a, const TomlValue &b)
{
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

extern "C" TomlDocument *toml_document_parse(const char *text, size_t size, const char *file,
                                             char *error, size_t room)
try {
    toml::table table = toml::parse(std::string_view(text, size), std::string_view(file));
    auto document = new TomlDocument;
    document->add(table, "", false);
    std::stable_sort(document->values.begin(), document->values.end(), earlier);
    return document;
} catch (const toml::parse_error &e) {
    std::snprintf(error, room, "%s:%u:%u: %s", file, (unsigned)e.source().begin.line,
                  (unsigned)e.source().begin.column, std::string(e.description()).c_str());
    return nullptr;
} catch (const std::exception &e) {
    std::snprintf(error, room, "%s: %s", file, e.what());
    return nullptr;
}

extern "C" void toml_document_free(TomlDocument *document)
{
    delete document;
}

extern "C" size_t toml_document_count(const TomlDocument *document)
{
    return document->values.size();
}

extern "C" const TomlValue *toml_document_at(const TomlDocument *document, size_t index)
{
    return &document->values[index];
}

extern "C" const TomlValue *toml_document_get(const TomlDocument *document, const char *path)
{
    for (const TomlValue &value : document->values)
        if (std::string_view(value.path) == path)
            return &value;
    return nullptr;
}
