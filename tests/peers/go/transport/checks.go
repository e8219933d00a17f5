// SPDX-License-Identifier: MIT OR Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "cuzk/peer/cuzkv1"
)

// echo is a running echo server and a connection over each transport.
type echo struct {
	*server
	tcp, unix *grpc.ClientConn
	port      int
	path      string
}

const mebibyte = 1 << 20

// port 0: any. The socket's name follows the server's purpose, so that a restart finds it again.
func startEcho(program, folder, name string, port int, grace time.Duration, limit, budget int) (*echo, error) {
	e := &echo{path: filepath.Join(folder, name+".sock")}
	s, err := launch(program, fmt.Sprint(grace.Milliseconds()), fmt.Sprint(limit), fmt.Sprint(budget),
		fmt.Sprintf("127.0.0.1:%d", port), "unix://"+e.path)
	if err != nil {
		return nil, err
	}
	e.server = s
	for end := time.Now().Add(10 * time.Second); e.port == 0; time.Sleep(5 * time.Millisecond) {
		if _, err := fmt.Sscanf(s.output.String(), "ready %d", &e.port); err != nil && time.Now().After(end) {
			s.kill()
			return nil, fmt.Errorf("not ready: %s", s.output.String())
		}
	}
	e.tcp, e.unix = dial(fmt.Sprintf("dns:///127.0.0.1:%d", e.port)), dial("unix://"+e.path)
	return e, nil
}

func (e *echo) conn(i int) *grpc.ClientConn {
	if i&1 == 0 {
		return e.tcp
	}
	return e.unix
}

func (e *echo) inProgress() int {
	r, err := engine(e.unix).GetStatus(soon(10*time.Second), &pb.GetStatusRequest{})
	if err != nil {
		return -1
	}
	return int(r.Queues[0].InProgress)
}

func (e *echo) idle() error {
	return eventually(5*time.Second, func() bool { return e.inProgress() == 0 })
}

func checkTransport(program string) {
	folder, err := os.MkdirTemp("", "cuzk-peer-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	e, err := startEcho(program, folder, "main", 0, 5*time.Second, 257*mebibyte, 600*mebibyte)
	if err != nil {
		check("echo server starts", func() (string, error) { return "", err })
		return
	}
	check("health", e.health)
	check("random requests through both codecs", e.randomRequests)
	check("mutated requests, judged as protobuf-go judges", e.mutatedRequests)
	check("small messages", e.smallMessages)
	check("statuses", e.statuses)
	check("64 calls of 1 MiB at a time", e.concurrent)
	for i, name := range []string{"tcp", "unix"} {
		check("200 MiB upload, "+name, func() (string, error) { return e.upload(i, 200*mebibyte) })
	}
	check("300 MiB refused, connection alive", e.oversize)
	check("cancellation", e.cancellation)
	check("deadline", e.deadline)
	check("client goes away", e.goesAway)
	check("200 calls cancelled at random", e.randomCancel)
	check("SIGTERM: the call at work finishes", func() (string, error) { return e.drain(program, folder) })
	check("SIGTERM: a call longer than the grace period", func() (string, error) { return "", overGrace(program, folder) })
	check("SIGKILL, restart, same connection", func() (string, error) { return "", restart(program, folder) })
	check("1 GiB at once through a 100 MiB budget", func() (string, error) { return budget(program, folder) })
}

func (e *echo) health() (string, error) {
	for i := 0; i < 2; i++ {
		client := grpc_health_v1.NewHealthClient(e.conn(i))
		for _, service := range []string{"", "cuzk.v1.ProvingEngine"} {
			r, err := client.Check(soon(5*time.Second), &grpc_health_v1.HealthCheckRequest{Service: service})
			if err != nil || r.Status != grpc_health_v1.HealthCheckResponse_SERVING {
				return "", fmt.Errorf("%q: %v %v", service, r, err)
			}
		}
		_, err := client.Check(soon(5*time.Second), &grpc_health_v1.HealthCheckRequest{Service: "other"})
		if err := wantCode(err, codes.NotFound); err != nil {
			return "", err
		}
	}
	return "", nil
}

func randomBytes(r *rand.Rand, most int) []byte {
	if r.Intn(3) == 0 {
		return nil
	}
	b := make([]byte, r.Intn(most)+1)
	r.Read(b)
	return b
}

func randomNumber(r *rand.Rand) uint64 {
	if r.Intn(3) == 0 {
		return 0
	}
	return r.Uint64() >> r.Intn(64)
}

func randomRequest(r *rand.Rand) *pb.SubmitProofRequest {
	s := &pb.SubmitProofRequest{
		RequestId: string([]rune("wdpost-1000-[0 1 2] é\u4e2d")[:r.Intn(22)]), ProofKind: pb.ProofKind(r.Intn(7) - 1),
		SectorSize: randomNumber(r), RegisteredProof: randomNumber(r), Priority: pb.Priority(r.Intn(6)),
		VanillaProof: randomBytes(r, 3000), SectorNumber: 1, MinerId: randomNumber(r), Randomness: randomBytes(r, 40),
		CommROld: randomBytes(r, 40), CommRNew: randomBytes(r, 40), CommDNew: randomBytes(r, 40),
	}
	for i := r.Intn(5); i > 0; i-- {
		s.VanillaProofs = append(s.VanillaProofs, randomBytes(r, 300))
	}
	return s
}

// The server decodes the request and encodes it anew; protobuf-go must read the same from that.
func (e *echo) randomRequests() (string, error) {
	r := rand.New(rand.NewSource(1))
	const n = 1000
	for i := 0; i < n; i++ {
		want := randomRequest(r)
		reply, err := engine(e.conn(i)).Prove(soon(10*time.Second), &pb.ProveRequest{Submit: want})
		if err != nil {
			return "", err
		}
		got := &pb.SubmitProofRequest{}
		if err := proto.Unmarshal(reply.Result.Proof, got); err != nil {
			return "", err
		}
		if !proto.Equal(got, want) || reply.Result.JobId != want.RequestId {
			return "", fmt.Errorf("request %d: sent %v, came back %v", i, want, got)
		}
	}
	return fmt.Sprintf("%d requests", n), nil
}

// rawCodec sends and receives bytes as they are.
type rawCodec struct{}

func (rawCodec) Name() string { return "proto" }
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*v.(*[]byte))}, nil
}
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	*v.(*[]byte) = data.Materialize()
	return nil
}

func rawProve(conn *grpc.ClientConn, message []byte) ([]byte, error) {
	var reply []byte
	err := conn.Invoke(soon(10*time.Second), pb.ProvingEngine_Prove_FullMethodName, &message, &reply,
		grpc.ForceCodecV2(rawCodec{}))
	return reply, err
}

func mutate(r *rand.Rand, data []byte) []byte {
	at := r.Intn(len(data))
	switch r.Intn(5) {
	case 0:
		data[at] ^= 1 << r.Intn(8)
	case 1:
		data[at] = byte(r.Intn(256))
	case 2:
		return append(data[:at], data[at+1:]...)
	case 3: // a second submit, to be merged
		more, _ := proto.Marshal(&pb.ProveRequest{Submit: randomRequest(r)})
		return append(data, more...)
	}
	return data
}

// What we accept, protobuf-go accepts, and reads the same. What only we refuse has to be malformed in
// a way that it lets pass: a known field of another wire type, a group, a reserved field number.
func (e *echo) mutatedRequests() (string, error) {
	r := rand.New(rand.NewSource(2))
	accepted, refused, stricter := 0, 0, 0
	for i := 0; i < 3000; i++ {
		request := randomRequest(r)
		request.VanillaProof, request.PartitionIndex = randomBytes(r, 30), 0
		message, _ := proto.Marshal(&pb.ProveRequest{Submit: request})
		for k := r.Intn(3) + 1; k > 0 && len(message) > 0; k-- {
			message = mutate(r, message)
		}
		want := &pb.ProveRequest{}
		theirs := proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(message, want)
		if theirs == nil && want.Submit.GetPartitionIndex() > 50 {
			continue // would sleep
		}
		reply, err := rawProve(e.conn(i), message)
		if err != nil {
			if err := wantCode(err, codes.InvalidArgument); err != nil {
				return "", err
			}
			refused++
			if theirs == nil && want.Submit != nil {
				stricter++
			}
			continue
		}
		accepted++
		if theirs != nil {
			return "", fmt.Errorf("we accept %x, protobuf-go says %v", message, theirs)
		}
		if err := sameResult(reply, want); err != nil {
			return "", fmt.Errorf("%x: %v", message, err)
		}
	}
	return fmt.Sprintf("%d accepted, %d refused, %d of them by us only", accepted, refused, stricter),
		expect(accepted > 300 && refused > 300 && stricter*5 < refused*2, "one road hardly taken: %d %d %d", accepted, refused, stricter)
}

func sameResult(reply []byte, want *pb.ProveRequest) error {
	response := &pb.ProveResponse{}
	if err := proto.Unmarshal(reply, response); err != nil {
		return err
	}
	if want.Submit.SectorNumber != 1 {
		size := make([]byte, 8)
		binary.LittleEndian.PutUint64(size, uint64(len(want.Submit.VanillaProof)))
		return expect(bytes.Equal(response.Result.Proof, size), "size of vanilla_proof differs")
	}
	got := &pb.SubmitProofRequest{}
	if err := proto.Unmarshal(response.Result.Proof, got); err != nil {
		return err
	}
	return expect(proto.Equal(got, want.Submit), "read as %v, by protobuf-go as %v", got, want.Submit)
}

func (e *echo) smallMessages() (string, error) {
	c := engine(e.unix)
	ctx := soon(10 * time.Second)
	submit, err := c.SubmitProof(ctx, &pb.SubmitProofRequest{RequestId: "é", VanillaProofs: make([][]byte, 300)})
	if err != nil || submit.JobId != "é" || submit.QueuePosition != 300 || submit.AssignedGpu != "gpu é" {
		return "", fmt.Errorf("SubmitProof: %v %v", submit, err)
	}
	for _, n := range []uint64{0, 1, 2, 127, 128, 1 << 40, 1<<64 - 10} {
		r, err := c.AwaitProof(ctx, &pb.AwaitProofRequest{JobId: "job", TimeoutMs: n})
		want := &pb.AwaitProofResponse{JobId: "job", Status: pb.AwaitProofResponse_Status(n % 5), Proof: []byte("job"), ErrorMessage: "job",
			QueueWaitMs: n, SrsLoadMs: n + 1, SynthesisMs: n + 2, GpuComputeMs: n + 3, TotalMs: n + 4}
		if err != nil || !proto.Equal(r, want) {
			return "", fmt.Errorf("AwaitProof: %v %v", r, err)
		}
	}
	cancel, err := c.CancelProof(ctx, &pb.CancelProofRequest{JobId: "x"})
	if err != nil || !cancel.WasRunning {
		return "", fmt.Errorf("CancelProof: %v %v", cancel, err)
	}
	preload, err := c.PreloadSRS(ctx, &pb.PreloadSrsRequest{CircuitId: "porep-32g"})
	if err != nil || !preload.AlreadyLoaded || preload.LoadTimeMs != 9 {
		return "", fmt.Errorf("PreloadSRS: %v %v", preload, err)
	}
	evict, err := c.EvictSRS(ctx, &pb.EvictSrsRequest{})
	if err != nil || evict.WasLoaded || evict.FreedBytes != 0 {
		return "", fmt.Errorf("EvictSRS: %v %v", evict, err)
	}
	return "", nil
}

func (e *echo) statuses() (string, error) {
	c := engine(e.tcp)
	ctx := soon(10 * time.Second)
	_, err := c.GetMetrics(ctx, &pb.GetMetricsRequest{})
	if s, _ := status.FromError(err); s.Code() != codes.FailedPrecondition || s.Message() != "100% naïve,\nreally" {
		return "", fmt.Errorf("GetMetrics: %v", err)
	}
	if err := wantCode(e.tcp.Invoke(ctx, "/cuzk.v1.ProvingEngine/None", &pb.GetStatusRequest{}, &pb.GetStatusResponse{}), codes.Unimplemented); err != nil {
		return "", err
	}
	if _, err := c.Prove(ctx, &pb.ProveRequest{}); wantCode(err, codes.InvalidArgument) != nil {
		return "", fmt.Errorf("no submit: %v", err)
	}
	request := &pb.ProveRequest{Submit: &pb.SubmitProofRequest{VanillaProof: make([]byte, 10000)}}
	_, err = c.Prove(ctx, request, grpc.UseCompressor(gzip.Name))
	return "", wantCode(err, codes.Unimplemented)
}

func (e *echo) concurrent() (string, error) {
	const calls = 64
	errs := make(chan error, calls)
	for i := 0; i < calls; i++ {
		go func() {
			payload := bytes.Repeat([]byte{byte(i)}, mebibyte)
			want := &pb.SubmitProofRequest{RequestId: fmt.Sprint(i), SectorNumber: 1, PartitionIndex: 200, VanillaProof: payload}
			reply, err := engine(e.conn(i)).Prove(soon(60*time.Second), &pb.ProveRequest{Submit: want})
			got := &pb.SubmitProofRequest{}
			if err == nil {
				err = proto.Unmarshal(reply.Result.Proof, got)
			}
			if err == nil {
				err = expect(proto.Equal(got, want), "call %d: another answer", i)
			}
			errs <- err
		}()
	}
	for i := 0; i < calls; i++ {
		if err := <-errs; err != nil {
			return "", err
		}
	}
	return "", nil
}

func (e *echo) upload(i, size int) (string, error) {
	payload := make([]byte, size)
	begin := time.Now()
	reply, err := engine(e.conn(i)).Prove(soon(120*time.Second), &pb.ProveRequest{Submit: &pb.SubmitProofRequest{VanillaProof: payload}})
	if err != nil {
		return "", err
	}
	rate := float64(size) / mebibyte / time.Since(begin).Seconds()
	got := binary.LittleEndian.Uint64(reply.Result.Proof)
	return fmt.Sprintf("%.0f MiB/s, server's peak %d MiB", rate, e.megabytes("VmHWM")), expect(got == uint64(size), "%d of %d bytes", got, size)
}

func (e *echo) oversize() (string, error) {
	request := &pb.ProveRequest{Submit: &pb.SubmitProofRequest{VanillaProof: make([]byte, 300*mebibyte)}}
	for i := 0; i < 2; i++ {
		_, err := engine(e.conn(i)).Prove(soon(60*time.Second), request)
		if err := wantCode(err, codes.ResourceExhausted); err != nil {
			return "", err
		}
		if _, err := engine(e.conn(i)).GetStatus(soon(5*time.Second), &pb.GetStatusRequest{}); err != nil {
			return "", fmt.Errorf("afterwards: %v", err)
		}
	}
	return "", nil
}

func longCall(conn *grpc.ClientConn, ctx context.Context, milliseconds uint32) error {
	_, err := engine(conn).Prove(ctx, &pb.ProveRequest{Submit: &pb.SubmitProofRequest{PartitionIndex: milliseconds}})
	return err
}

func (e *echo) cancellation() (string, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- longCall(e.tcp, ctx, 60000) }()
	if err := eventually(5*time.Second, func() bool { return e.inProgress() == 1 }); err != nil {
		return "", err
	}
	cancel()
	if err := wantCode(<-result, codes.Canceled); err != nil {
		return "", err
	}
	return "", e.idle()
}

func (e *echo) deadline() (string, error) {
	if err := wantCode(longCall(e.unix, soon(300*time.Millisecond), 60000), codes.DeadlineExceeded); err != nil {
		return "", err
	}
	return "", e.idle()
}

func (e *echo) goesAway() (string, error) {
	conn := dial("unix://" + e.path)
	go func() { _ = longCall(conn, context.Background(), 60000) }()
	if err := eventually(5*time.Second, func() bool { return e.inProgress() == 1 }); err != nil {
		return "", err
	}
	conn.Close()
	return "", e.idle()
}

func (e *echo) randomCancel() (string, error) {
	r := rand.New(rand.NewSource(3))
	var all sync.WaitGroup
	for i := 0; i < 200; i++ {
		limit := time.Duration(r.Intn(60)) * time.Millisecond
		request := &pb.ProveRequest{Submit: &pb.SubmitProofRequest{PartitionIndex: uint32(i % 50), VanillaProof: make([]byte, i*3000)}}
		all.Add(1)
		go func() {
			defer all.Done()
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			_, _ = engine(e.conn(i)).Prove(ctx, request)
		}()
	}
	all.Wait()
	return "", e.idle()
}

func (e *echo) drain(program, folder string) (string, error) {
	result := make(chan error, 1)
	go func() { result <- longCall(e.tcp, soon(30*time.Second), 1500) }()
	if err := eventually(5*time.Second, func() bool { return e.inProgress() == 1 }); err != nil {
		return "", err
	}
	e.signal(syscall.SIGTERM)
	time.Sleep(200 * time.Millisecond)
	late := dial(fmt.Sprintf("dns:///127.0.0.1:%d", e.port))
	defer late.Close()
	if err := wantCode(longCall(late, soon(5*time.Second), 0), codes.Unavailable); err != nil {
		return "", err
	}
	if err := <-result; err != nil {
		return "", err
	}
	code, err := e.wait(5 * time.Second)
	if err != nil {
		return "", err
	}
	_, gone := os.Stat(e.path)
	return "", expect(code == 0 && os.IsNotExist(gone), "exit status %d, socket file: %v", code, gone)
}

func overGrace(program, folder string) error {
	e, err := startEcho(program, folder, "grace", 0, 300*time.Millisecond, mebibyte, mebibyte)
	if err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- longCall(e.unix, context.Background(), 60000) }()
	if err := eventually(5*time.Second, func() bool { return e.inProgress() == 1 }); err != nil {
		return err
	}
	begin := time.Now()
	stopped := e.stop()
	if stopped != nil {
		return stopped
	}
	if time.Since(begin) > 5*time.Second {
		return fmt.Errorf("took %v", time.Since(begin))
	}
	return wantCode(<-result, codes.Unavailable)
}

func restart(program, folder string) error {
	e, err := startEcho(program, folder, "restart", 0, time.Second, mebibyte, mebibyte)
	if err != nil {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- longCall(e.tcp, context.Background(), 60000) }()
	if err := eventually(5*time.Second, func() bool { return e.inProgress() == 1 }); err != nil {
		return err
	}
	e.kill()
	if err := wantCode(<-result, codes.Unavailable); err != nil {
		return err
	}
	again, err := startEcho(program, folder, "restart", e.port, time.Second, mebibyte, mebibyte)
	if err != nil {
		return err
	}
	for i := 0; i < 2; i++ {
		if _, err := engine(e.conn(i)).GetStatus(soon(20*time.Second), &pb.GetStatusRequest{}, grpc.WaitForReady(true)); err != nil {
			return err
		}
	}
	return again.stop()
}

// Sixteen messages of 64 MiB: the peers wait, the server never holds more than its budget.
func budget(program, folder string) (string, error) {
	const calls, size = 16, 64 * mebibyte
	e, err := startEcho(program, folder, "budget", 0, time.Second, size+mebibyte, 100*mebibyte)
	if err != nil {
		return "", err
	}
	conns := []*grpc.ClientConn{e.tcp, e.unix, dial(fmt.Sprintf("127.0.0.1:%d", e.port)), dial("unix:" + e.path)}
	payload := make([]byte, size)
	errs := make(chan error, calls)
	for i := 0; i < calls; i++ {
		go func() {
			_, err := engine(conns[i%4]).Prove(soon(120*time.Second), &pb.ProveRequest{Submit: &pb.SubmitProofRequest{VanillaProof: payload, PartitionIndex: 20}})
			errs <- err
		}()
	}
	for done := 0; done < calls; {
		select {
		case err := <-errs:
			if err != nil {
				return "", err
			}
			done++
		case <-time.After(20 * time.Millisecond): // small calls are answered meanwhile
			if _, err := engine(e.unix).GetStatus(soon(60*time.Second), &pb.GetStatusRequest{}); err != nil {
				return "", fmt.Errorf("GetStatus after %d of %d calls: %v", done, calls, err)
			}
		}
	}
	peak := e.megabytes("VmHWM")
	note := fmt.Sprintf("server's peak %d MiB", peak)
	if err := expect(peak < 160, "%s", note); err != nil {
		return "", err
	}
	return note, e.stop()
}
