// SPDX-License-Identifier: MIT OR Apache-2.0

// Transport is a client on grpc-go, the library that Curio uses, against our transport and codec with
// a fake service behind them. Usage: transport ECHO_SERVER [PART_OF_A_NAME]. Exit status 0: every check passed.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "cuzk/peer/cuzkv1"
)

const maxMessage = 512 << 20

var passed, failed int
var servers []*server // all that were started

// check runs one test and prints a line about it. A test returns a note, or an error.
func check(name string, test func() (string, error)) {
	if len(os.Args) > 2 && !strings.Contains(name, os.Args[2]) {
		return
	}
	begin := time.Now()
	note, err := test()
	took := time.Since(begin).Round(time.Millisecond)
	if err != nil {
		failed++
		fmt.Printf("FAIL %s (%v): %v\n", name, took, err)
		return
	}
	passed++
	fmt.Printf("ok   %s (%v) %s\n", name, took, note)
}

func dial(target string) *grpc.ClientConn {
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)))
	if err != nil {
		panic(err)
	}
	return conn
}

func soon(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	_ = cancel // lives as long as its timeout
	return ctx
}

// wantCode says whether err has one of the codes.
func wantCode(err error, want ...codes.Code) error {
	got := status.Code(err)
	for _, code := range want {
		if got == code {
			return nil
		}
	}
	return fmt.Errorf("got %v (%v), wanted %v", got, err, want)
}

func expect(condition bool, format string, values ...any) error {
	if condition {
		return nil
	}
	return fmt.Errorf(format, values...)
}

// eventually waits until the condition holds.
func eventually(limit time.Duration, condition func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if condition() {
			return nil
		}
	}
	return fmt.Errorf("not within %v", limit)
}

// text collects what a program writes while others read it.
type text struct {
	lock  sync.Mutex
	bytes bytes.Buffer
}

func (t *text) Write(data []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.bytes.Write(data)
}

func (t *text) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.bytes.String()
}

// server is a program under test.
type server struct {
	cmd    *exec.Cmd
	output text
	done   chan error
}

func launch(program string, args ...string) (*server, error) {
	s := &server{cmd: exec.Command(program, args...), done: make(chan error, 1)}
	s.cmd.Stdout, s.cmd.Stderr = &s.output, &s.output
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.done <- s.cmd.Wait() }()
	servers = append(servers, s)
	return s, nil
}

// wait gives the exit status, or an error where the program does not end or is killed.
func (s *server) wait(limit time.Duration) (int, error) {
	select {
	case <-s.done:
		if code := s.cmd.ProcessState.ExitCode(); code >= 0 {
			return code, nil
		}
		return 0, fmt.Errorf("ended by %v", s.cmd.ProcessState)
	case <-time.After(limit):
		s.kill()
		return 0, fmt.Errorf("still running after %v", limit)
	}
}

func (s *server) signal(sig syscall.Signal) { _ = s.cmd.Process.Signal(sig) }

func (s *server) kill() {
	s.signal(syscall.SIGKILL)
	<-s.done
}

// stop ends the server the polite way and wants exit status 0.
func (s *server) stop() error {
	s.signal(syscall.SIGTERM)
	code, err := s.wait(30 * time.Second)
	if err != nil {
		return err
	}
	return expect(code == 0, "exit status %d\n%s", code, s.output.String())
}

// megabytes of a line of /proc/PID/status, such as VmHWM.
func (s *server) megabytes(field string) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	for _, line := range strings.Split(string(text), "\n") {
		var kilobytes int
		if n, _ := fmt.Sscanf(line, field+": %d", &kilobytes); n == 1 {
			return kilobytes >> 10
		}
	}
	return 0
}

func engine(conn *grpc.ClientConn) pb.ProvingEngineClient { return pb.NewProvingEngineClient(conn) }

func main() {
	if len(os.Args) < 2 {
		fmt.Println("usage: transport ECHO_SERVER [PART_OF_A_NAME]")
		os.Exit(2)
	}
	checkTransport(os.Args[1])
	for _, s := range servers {
		s.signal(syscall.SIGKILL) // nothing is left behind by a check that failed
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}
