// SPDX-License-Identifier: MIT OR Apache-2.0

// A gRPC client that is not ours against the running daemon, over TCP and a unix socket.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "cuzk/peer/cuzkv1"
)

const maxMessage = 256 << 20

type peer struct {
	daemon, config, proofOut string
	tcp, unix                string
	c1                       []byte
	process                  *exec.Cmd
}

func check(ok bool, format string, arguments ...any) {
	if !ok {
		panic(fmt.Sprintf(format, arguments...))
	}
}

func (p *peer) start() {
	p.process = exec.Command(p.daemon, "-c", p.config)
	p.process.Stderr = os.Stderr
	check(p.process.Start() == nil, "the daemon does not start")
	for i := 0; i < 100; i++ {
		if c, err := net.Dial("tcp", p.tcp); err == nil {
			c.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	panic("the daemon does not listen")
}

func (p *peer) terminate() {
	check(p.process.Process.Signal(syscall.SIGTERM) == nil, "signal")
}

// ended wants exit status 0 within the limit, and nothing left behind.
func (p *peer) ended(limit time.Duration) {
	timer := time.AfterFunc(limit, func() { p.process.Process.Kill() })
	err := p.process.Wait()
	check(timer.Stop(), "the daemon was still running after %v", limit)
	check(err == nil, "the daemon ended with %v", err)
	_, err = os.Stat(strings.TrimPrefix(p.unix, "unix://"))
	check(os.IsNotExist(err), "the socket file is still there")
}

func (p *peer) stop() {
	p.terminate()
	p.ended(30 * time.Second)
}

func (p *peer) dial(address string) (*grpc.ClientConn, pb.ProvingEngineClient) {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(2*maxMessage)))
	check(err == nil, "dial %s: %v", address, err)
	return conn, pb.NewProvingEngineClient(conn)
}

func (p *peer) request(id string, c1 []byte) *pb.SubmitProofRequest {
	return &pb.SubmitProofRequest{RequestId: id, ProofKind: pb.ProofKind_POREP_SEAL_COMMIT,
		SectorSize: 2048, RegisteredProof: 5, VanillaProof: c1, MinerId: 1000, SectorNumber: 1}
}

func within(d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), d)
}

func prove(c pb.ProvingEngineClient, d time.Duration, r *pb.SubmitProofRequest) (*pb.AwaitProofResponse, error) {
	ctx, cancel := within(d)
	defer cancel()
	out, err := c.Prove(ctx, &pb.ProveRequest{Submit: r})
	if err != nil {
		return nil, err
	}
	return out.Result, nil
}

func wantCode(err error, code codes.Code, what string) {
	check(status.Code(err) == code, "%s: %v, expected %v", what, err, code)
	text := status.Convert(err).Message()
	check(text != "" && !strings.Contains(text, "\n"), "%s: %q, expected one line", what, text)
}

// changed is the payload with one digit of its middle, or of another part, replaced.
func (p *peer) changed(numerator, denominator int) []byte {
	c1 := bytes.Clone(p.c1)
	at := len(c1) * numerator / denominator
	if c1[at] == 'M' {
		c1[at] = 'T'
	} else {
		c1[at] = 'M'
	}
	return c1
}

// Requests that must be refused at once, with a reason.
func (p *peer) refusals(c pb.ProvingEngineClient) {
	cases := []struct {
		what string
		code codes.Code
		edit func(*pb.SubmitProofRequest)
	}{
		{"kind 0", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.ProofKind = 0 }},
		{"kind 77", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.ProofKind = 77 }},
		{"snap", codes.Unimplemented, func(r *pb.SubmitProofRequest) { r.ProofKind = 2 }},
		{"window post", codes.Unimplemented, func(r *pb.SubmitProofRequest) { r.ProofKind = 3 }},
		{"winning post", codes.Unimplemented, func(r *pb.SubmitProofRequest) { r.ProofKind = 4 }},
		{"sector size", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.SectorSize = 8 << 20 }},
		{"registered proof", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.RegisteredProof = 8 }},
		{"miner", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.MinerId = 1001 }},
		{"empty", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.VanillaProof = nil }},
		{"garbage", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.VanillaProof = []byte("{}") }},
		{"cut", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.VanillaProof = p.c1[:len(p.c1)/2] }},
		{"a digit changed early", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.VanillaProof = p.changed(1, 3) }},
		{"a digit changed late", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.VanillaProof = p.changed(2, 3) }},
		{"long id", codes.InvalidArgument, func(r *pb.SubmitProofRequest) { r.RequestId = strings.Repeat("x", 300) }},
	}
	for _, k := range cases {
		r := p.request("refused", p.c1)
		k.edit(r)
		begin := time.Now()
		_, err := prove(c, 10*time.Second, r)
		wantCode(err, k.code, k.what)
		check(time.Since(begin) < 5*time.Second, "%s: answered after %v", k.what, time.Since(begin))
	}
	ctx, cancel := within(10 * time.Second)
	defer cancel()
	_, err := c.Prove(ctx, &pb.ProveRequest{})
	wantCode(err, codes.InvalidArgument, "no submit")
	_, err = c.AwaitProof(ctx, &pb.AwaitProofRequest{JobId: "nobody"})
	wantCode(err, codes.NotFound, "await of an unknown job")
	_, err = c.CancelProof(ctx, &pb.CancelProofRequest{JobId: "nobody"})
	wantCode(err, codes.NotFound, "cancel of an unknown job")
	_, err = c.PreloadSRS(ctx, &pb.PreloadSrsRequest{CircuitId: "porep-64g"})
	wantCode(err, codes.FailedPrecondition, "preload without parameters")
}

// One real proof; 63 more calls with the same request join it. Clients that give up do not lose it.
func (p *peer) joined(tcp, unix pb.ProvingEngineClient) {
	ctx, cancel := within(300 * time.Millisecond)
	_, err := tcp.Prove(ctx, &pb.ProveRequest{Submit: p.request("one", p.c1)})
	cancel()
	wantCode(err, codes.DeadlineExceeded, "a deadline shorter than the proof")
	ctx, cancel = context.WithCancel(context.Background())
	time.AfterFunc(200*time.Millisecond, cancel)
	_, err = unix.Prove(ctx, &pb.ProveRequest{Submit: p.request("one", p.c1)})
	wantCode(err, codes.Canceled, "a client that goes away")

	p.atWork(tcp, unix)

	results := make([]*pb.AwaitProofResponse, 64)
	var group sync.WaitGroup
	for i := range results {
		group.Add(1)
		go func() {
			defer group.Done()
			client := tcp
			if i%2 == 1 {
				client = unix
			}
			r, err := prove(client, 20*time.Minute, p.request("one", p.c1))
			if err == nil {
				results[i] = r
			}
		}()
	}
	group.Wait()
	for i, r := range results {
		check(r != nil, "call %d failed", i)
		check(r.Status == pb.AwaitProofResponse_COMPLETED, "call %d: %v %s", i, r.Status, r.ErrorMessage)
		check(len(r.Proof) == 192 && bytes.Equal(r.Proof, results[0].Proof), "call %d: another proof", i)
		check(r.JobId == results[0].JobId && r.JobId != "", "call %d: another job", i)
	}
	check(os.WriteFile(p.proofOut, results[0].Proof, 0o644) == nil, "write proof")
	ctx, cancel = within(10 * time.Second)
	defer cancel()
	s, err := unix.GetStatus(ctx, &pb.GetStatusRequest{})
	check(err == nil && s.TotalProofsCompleted == 1, "64 calls, one proof: %v %v", s, err)
	check(len(s.LoadedSrs) == 1 && s.LoadedSrs[0].CircuitId == "porep-2k", "loaded: %v", s.LoadedSrs)
}

// Large messages are refused, or read and refused, and the daemon lives.
func (p *peer) large(c pb.ProvingEngineClient) {
	r := p.request("large", bytes.Repeat([]byte{'x'}, 200<<20))
	_, err := prove(c, 2*time.Minute, r)
	wantCode(err, codes.InvalidArgument, "200 MiB of garbage")
	r = p.request("larger", bytes.Repeat([]byte{'x'}, 300<<20))
	_, err = prove(c, 2*time.Minute, r)
	wantCode(err, codes.ResourceExhausted, "300 MiB")
}

func (p *peer) small(conn *grpc.ClientConn, c pb.ProvingEngineClient) {
	ctx, cancel := within(2 * time.Minute)
	defer cancel()
	h, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	check(err == nil && h.Status == healthpb.HealthCheckResponse_SERVING, "health: %v %v", h, err)
	m, err := c.GetMetrics(ctx, &pb.GetMetricsRequest{})
	check(err == nil && strings.Contains(m.PrometheusText, "cuzk_proofs_completed_total 1"), "metrics: %v", err)
	pre, err := c.PreloadSRS(ctx, &pb.PreloadSrsRequest{CircuitId: "porep-2k"})
	check(err == nil && pre.AlreadyLoaded, "preload: %v %v", pre, err)
	ev, err := c.EvictSRS(ctx, &pb.EvictSrsRequest{CircuitId: "porep-2k"})
	check(err == nil && ev.WasLoaded && ev.FreedBytes > 1<<30, "evict: %v %v", ev, err)
	ev, err = c.EvictSRS(ctx, &pb.EvictSrsRequest{CircuitId: "porep-2k"})
	check(err == nil && !ev.WasLoaded, "evict again: %v %v", ev, err)
}

func main() {
	p := &peer{}
	c1 := flag.String("c1", "", "C1 file")
	flag.StringVar(&p.daemon, "daemon", "", "daemon program")
	flag.StringVar(&p.config, "config", "", "its configuration")
	flag.StringVar(&p.tcp, "tcp", "", "host:port")
	flag.StringVar(&p.unix, "unix", "", "unix:///path")
	flag.StringVar(&p.proofOut, "proof-out", "", "where the proof goes")
	flag.Parse()
	defer func() {
		if r := recover(); r != nil {
			fmt.Println("go peer: FAILED:", r)
			if p.process != nil {
				p.process.Process.Kill()
			}
			os.Exit(1)
		}
	}()
	var err error
	p.c1, err = os.ReadFile(filepath.Clean(*c1))
	check(err == nil, "%v", err)
	p.withoutParameters()
	p.start()
	p.secondDaemon()
	tcpConn, tcp := p.dial(p.tcp)
	_, unix := p.dial(p.unix)
	p.refusals(tcp)
	p.refusals(unix)
	p.joined(tcp, unix)
	p.small(tcpConn, tcp)
	p.large(tcp)
	p.large(unix)
	p.cancelled(tcp, unix)
	p.stoppedInMidCall(tcp, unix)
	p.start() // the same connections find the new daemon
	p.afterRestart(tcp, unix)
	p.killed(tcp)
	p.stop()
	fmt.Println("go peer: agrees")
}
