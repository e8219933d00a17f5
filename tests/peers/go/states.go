// SPDX-License-Identifier: MIT OR Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "cuzk/peer/cuzkv1"
)

func eventually(what string, limit time.Duration, condition func() bool) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	panic(fmt.Sprintf("%s: not within %v", what, limit))
}

// queue is what GetStatus says about sector proofs.
func queue(c pb.ProvingEngineClient) (pending, running uint32) {
	ctx, cancel := within(10 * time.Second)
	defer cancel()
	s, err := c.GetStatus(ctx, &pb.GetStatusRequest{})
	check(err == nil, "status: %v", err)
	check(len(s.Queues) == 4, "queues of %d kinds, expected 4", len(s.Queues))
	for _, q := range s.Queues {
		if q.ProofKind == "porep-c2" {
			return q.Pending, q.InProgress
		}
	}
	panic("no queue of porep-c2")
}

func await(c pb.ProvingEngineClient, id string, timeoutMs uint64) (*pb.AwaitProofResponse, error) {
	ctx, cancel := within(20 * time.Minute)
	defer cancel()
	return c.AwaitProof(ctx, &pb.AwaitProofRequest{JobId: id, TimeoutMs: timeoutMs})
}

// The job "one" lives on without its clients, and what the daemon tells about itself is so.
func (p *peer) atWork(tcp, unix pb.ProvingEngineClient) {
	eventually("the job exists", 30*time.Second, func() bool {
		_, err := await(tcp, "one", 1)
		return status.Code(err) != codes.NotFound
	})
	begin := time.Now()
	late, err := unix.AwaitProof(context.Background(), &pb.AwaitProofRequest{JobId: "one", TimeoutMs: 300})
	took := time.Since(begin)
	check(err == nil && late.Status == pb.AwaitProofResponse_TIMEOUT, "await with a short timeout: %v %v", late, err)
	check(took >= 250*time.Millisecond, "await of 300 ms took %v", took)
	check(len(late.Proof) == 0, "a proof before its time")
	pending, running := queue(unix)
	check(pending == 0 && running == 1, "one job: %d pending, %d running", pending, running)
	ctx, cancel := within(10 * time.Second)
	defer cancel()
	m, err := tcp.GetMetrics(ctx, &pb.GetMetricsRequest{})
	check(err == nil, "metrics: %v", err)
	for _, line := range []string{"cuzk_running_jobs 1", "cuzk_proofs_completed_total 0", "cuzk_proofs_failed_total 0"} {
		check(strings.Contains(m.PrometheusText, "\n"+line+"\n"), "metrics lack %q", line)
	}
}

// A job that waits and one that runs are cancelled; their numbers go from the queue.
func (p *peer) cancelled(tcp, unix pb.ProvingEngineClient) {
	ctx, cancel := within(time.Minute)
	defer cancel()
	first, err := tcp.SubmitProof(ctx, &pb.SubmitProofRequest{RequestId: "two", ProofKind: 1, VanillaProof: p.c1})
	check(err == nil && first.JobId != "two", "submit: %v %v", first, err)
	again, err := unix.SubmitProof(ctx, &pb.SubmitProofRequest{RequestId: "two", ProofKind: 1, VanillaProof: p.c1})
	check(err == nil && again.JobId == first.JobId, "same id, same payload: %v %v", again, err)
	second, err := tcp.SubmitProof(ctx, &pb.SubmitProofRequest{RequestId: "two", ProofKind: 1, Priority: 1, VanillaProof: p.c1})
	check(err == nil && second.JobId != first.JobId, "same id, other payload: %v %v", second, err)
	eventually("the first job starts", 30*time.Second, func() bool {
		_, running := queue(tcp)
		return running == 1
	})
	pending, _ := queue(tcp)
	check(pending == 1, "%d jobs wait, expected 1", pending)

	answer, err := tcp.CancelProof(ctx, &pb.CancelProofRequest{JobId: second.JobId})
	check(err == nil && !answer.WasRunning, "cancel of a waiting job: %v %v", answer, err)
	end, err := await(tcp, second.JobId, 0)
	check(err == nil && end.Status == pb.AwaitProofResponse_CANCELLED, "await of a cancelled job: %v %v", end, err)

	answer, err = unix.CancelProof(ctx, &pb.CancelProofRequest{JobId: first.JobId})
	check(err == nil && answer.WasRunning, "cancel of a running job: %v %v", answer, err)
	end, err = await(unix, first.JobId, 0)
	check(err == nil && end.Status == pb.AwaitProofResponse_CANCELLED && len(end.Proof) == 0,
		"await of a cancelled job: %v %v", end, err)
	eventually("the queue is empty", time.Minute, func() bool {
		pending, running := queue(tcp)
		return pending+running == 0
	})
	answer, err = tcp.CancelProof(ctx, &pb.CancelProofRequest{JobId: "one"})
	check(err == nil && !answer.WasRunning, "cancel of a finished job: %v %v", answer, err)
	end, err = await(tcp, "one", 0)
	check(err == nil && end.Status == pb.AwaitProofResponse_COMPLETED, "a finished job stays: %v %v", end, err)
}

// The daemon is told to stop while calls wait: every one gets an answer, new ones are turned away.
func (p *peer) stoppedInMidCall(tcp, unix pb.ProvingEngineClient) {
	answers := make(chan error, 8)
	result := func(r *pb.AwaitProofResponse, err error) error {
		code := status.Code(err)
		if code == codes.Unavailable || code == codes.ResourceExhausted {
			return nil
		}
		if s := r.GetStatus(); err == nil && s != pb.AwaitProofResponse_UNKNOWN && s != pb.AwaitProofResponse_TIMEOUT {
			return nil
		}
		return fmt.Errorf("a waiter got %v %v", r.GetStatus(), err)
	}
	for i := range cap(answers) {
		client := []pb.ProvingEngineClient{tcp, unix}[i%2]
		go func() { answers <- result(prove(client, 5*time.Minute, p.request(fmt.Sprint("three-", i/4), p.c1))) }()
	}
	eventually("a proof is at work", 30*time.Second, func() bool {
		pending, running := queue(tcp)
		return running == 1 && pending == 1
	})
	p.terminate()
	time.Sleep(300 * time.Millisecond)
	_, err := prove(tcp, 10*time.Second, p.request("four", p.c1))
	wantCode(err, codes.Unavailable, "a call to a daemon that stops")
	p.ended(20 * time.Second)
	for range cap(answers) {
		select {
		case err := <-answers:
			check(err == nil, "%v", err)
		case <-time.After(10 * time.Second):
			panic("a waiter was left without an answer")
		}
	}
}

// A fresh proof of the same request from the new daemon, through the old connections.
func (p *peer) afterRestart(tcp, unix pb.ProvingEngineClient) {
	ctx, cancel := within(30 * time.Second)
	defer cancel()
	s, err := tcp.GetStatus(ctx, &pb.GetStatusRequest{}, grpc.WaitForReady(true))
	check(err == nil && s.TotalProofsCompleted == 0 && len(s.LoadedSrs) == 0, "after the restart: %v %v", s, err)
	_, err = unix.GetStatus(ctx, &pb.GetStatusRequest{}, grpc.WaitForReady(true))
	check(err == nil, "after the restart: %v", err)
	_, err = await(tcp, "one", 1)
	wantCode(err, codes.NotFound, "a job of the old daemon")

	submitted, err := unix.SubmitProof(ctx, p.request("one", p.c1))
	check(err == nil, "submit: %v", err)
	result, err := await(tcp, submitted.JobId, 0)
	check(err == nil && result.Status == pb.AwaitProofResponse_COMPLETED, "after the restart: %v %v", result, err)
	old, err := os.ReadFile(p.proofOut)
	check(err == nil && !bytes.Equal(old, result.Proof), "the same proof twice: no randomness in it")
	check(os.WriteFile(p.proofOut+".2", result.Proof, 0o644) == nil, "write proof")
	check(result.TotalMs > 0 && result.SynthesisMs+result.GpuComputeMs <= result.TotalMs, "times: %v", result)
	begin := time.Now()
	same, err := prove(tcp, time.Minute, p.request("one", p.c1))
	check(err == nil && bytes.Equal(same.Proof, result.Proof), "asked again: %v", err)
	check(time.Since(begin) < 5*time.Second, "asked again: answered after %v", time.Since(begin))
}

// A socket file that a killed daemon left is no obstacle.
func (p *peer) killed(tcp pb.ProvingEngineClient) {
	p.process.Process.Kill()
	p.process.Wait()
	_, err := os.Stat(strings.TrimPrefix(p.unix, "unix://"))
	check(err == nil, "the killed daemon's socket file: %v", err)
	p.start()
	ctx, cancel := within(30 * time.Second)
	defer cancel()
	_, err = tcp.GetStatus(ctx, &pb.GetStatusRequest{}, grpc.WaitForReady(true))
	check(err == nil, "after the kill: %v", err)
}

// A second daemon at the same addresses says why it ends, and the first goes on.
func (p *peer) secondDaemon() {
	ctx, cancel := within(20 * time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, p.daemon, "-c", p.config).CombinedOutput()
	check(err != nil && ctx.Err() == nil, "a second daemon: %v", err)
	path := strings.TrimPrefix(p.unix, "unix://")
	check(strings.Contains(string(output), path), "a second daemon said: %s", output)
	conn, err := net.Dial("unix", path)
	check(err == nil, "the first daemon's socket: %v", err)
	conn.Close()
}

// A daemon in an empty parameter folder serves, and says what is missing.
func (p *peer) withoutParameters() {
	folder, err := os.MkdirTemp("", "cuzk-empty-")
	check(err == nil, "%v", err)
	defer os.RemoveAll(folder)
	other := *p
	other.config = filepath.Join(folder, "cuzk.toml")
	text := fmt.Sprintf("[daemon]\nlisten = [%q, %q]\n[srs]\nparam_cache = %q\n", p.tcp, p.unix, folder)
	check(os.WriteFile(other.config, []byte(text), 0o644) == nil, "write configuration")
	other.start()
	p.process = other.process // killed on failure
	conn, c := other.dial(p.unix)
	defer conn.Close()
	_, err = prove(c, 30*time.Second, p.request("none", p.c1))
	wantCode(err, codes.FailedPrecondition, "prove without parameters")
	check(strings.Contains(err.Error(), folder), "the message does not name the folder: %v", err)
	ctx, cancel := within(30 * time.Second)
	defer cancel()
	_, err = c.SubmitProof(ctx, p.request("none", p.c1))
	wantCode(err, codes.FailedPrecondition, "submit without parameters")
	_, err = c.PreloadSRS(ctx, &pb.PreloadSrsRequest{CircuitId: "porep-2k"})
	wantCode(err, codes.FailedPrecondition, "preload without parameters")
	s, err := c.GetStatus(ctx, &pb.GetStatusRequest{})
	check(err == nil && len(s.LoadedSrs) == 0 && s.TotalProofsFailed == 0, "status: %v %v", s, err)
	other.stop()
}
