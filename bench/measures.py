"""What is measured. Each function returns rows for one table: a list of dictionaries."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

from setting import DAEMON, DBus, Floor, Forced, Mosquitto, PROGRAMS, Run


def median(values):
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else None


def spread(results, key):
    """The median over the rounds of each percentile of `key`, in µs."""
    return {name: median(result[key].get(name) for result in results)
            for name in ("p50", "p99", "p999")}


def in_turn(plan, variants, **options):
    """Runs the variants A, B, A, B … and returns each one's results. A variant is a name, a relay
    and what is particular to it."""
    if plan.realtime:
        # As the daemon is shipped, and its rivals alike; the load above them.
        options = {"priority": 10, "fifo": 20, **options}
    results = {name: [] for name, _, _ in variants}
    for _ in range(plan.rounds):
        for name, relay, own in variants:
            results[name].append(once_more(lambda: single(relay, **{**options, **own})))
    return results


def single(relay, **options):
    with Run(relay, **options) as run:
        return run.measure()


def once_more(attempt):
    """One failed run, on a machine with no time to spare, is said and made again."""
    try:
        return attempt()
    except RuntimeError as error:
        print(f"made again: {error}", file=sys.stderr)
        return attempt()


PAIR = [("floor", Floor, {}), ("forced", Forced, {})]


def event_to_client(plan):
    results = in_turn(plan, PAIR, frames=plan.frames)
    return [{"variant": name, **spread(found, "client"),
             "cpu_us_a_frame": median(r["cpu_ns"] / r["frames"] / 1000 for r in found)}
            for name, found in results.items()]


def event_to_motor(plan):
    results = in_turn(plan, PAIR, frames=plan.frames * 4, pattern="step", at_once=True)
    return [{"variant": name, **spread(found, "motor"),
             "plays": sum(r["motor"]["count"] for r in found)}
            for name, found in results.items()]


# --- The cost of a frame ----------------------------------------------------------------------------

def difference(frames, count, few=200):
    """What a frame adds: `count(frames)` for many frames less that for few, so that start and end
    cancel out."""
    return (count(few + frames) - count(few)) / frames


def instructions(relay):
    def count(frames):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            under = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
            with Run(relay, under=under, frames=frames, warm=0, lockstep=True) as run:
                run.measure()
            with open(out) as file:
                return int(re.search(r"^totals: (\d+)", file.read(), re.M).group(1))
    return count


def system_calls(relay):
    def count(frames):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            under = ["strace", "-f", "-c", "-U", "calls,name", "-o", out]
            with Run(relay, under=under, frames=frames, warm=0, lockstep=True) as run:
                run.measure()
                # The tracer hands signals on to nobody: the traced program is its child.
                end_child(run.relay.processes[0].pid)
                run.relay.processes[0].wait()
            with open(out) as file:
                return int(re.search(r"^ *(\d+) +total", file.read(), re.M).group(1))
    return count


def end_child(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        for child in file.read().split():
            os.kill(int(child), 15)


def allocations(relay):
    def count(frames):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            environment = {"LD_PRELOAD": os.path.join(PROGRAMS, "allocations.so"),
                           "BENCH_ALLOCATIONS": out}
            with Run(relay, environment=environment, frames=frames, warm=0, lockstep=True) as run:
                run.measure()
                run.relay.end()
            with open(out) as file:
                return int(file.read())
    return count


def cost_of_a_frame(plan):
    rows = []
    for name, relay, _ in PAIR:
        frames = plan.counted_frames
        rows.append({"variant": name, "instructions": difference(frames, instructions(relay)),
                     "system_calls": difference(frames, system_calls(relay)),
                     # In the first second libdispatch still starts threads.
                     "allocations": difference(frames * 2, allocations(relay), few=2000)})
    return rows


# --- Many -------------------------------------------------------------------------------------------

def fan_out(plan):
    rows = []
    for subscribers in plan.subscribers:
        # As many messages a second as this machine carries: what is looked at is the cost of one.
        rate = max(min(1000, 20_000 // subscribers), 10)
        frames = max(int(rate * plan.seconds), 10)
        variants = [*PAIR, ("dbus-daemon", DBus, {}), ("mosquitto", Mosquitto, {})]
        results = in_turn(plan, variants, frames=frames, warm=max(frames // 10, 2), rate=rate,
                          subscribers=subscribers)
        for name, found in results.items():
            rows.append({
                "subscribers": subscribers, "rate": rate, "variant": name,
                "first_p50": spread(found, "first")["p50"], "last_p50": spread(found, "last")["p50"],
                "last_p99": spread(found, "last")["p99"],
                "cpu_us_a_message": median(
                    r["cpu_ns"] / max(r["messages"], 1) / 1000 for r in found)})
    return rows


def devices(plan):
    rows = []
    for feeds, active in plan.devices:
        results = in_turn(plan, PAIR, feeds=feeds, active=active, frames=int(1000 * plan.seconds))
        for name, found in results.items():
            rows.append({"devices": feeds, "pressed": active, "variant": name,
                         **spread(found, "client"),
                         "cpu_us_a_frame": median(r["cpu_ns"] / r["frames"] / 1000 for r in found)})
    return rows


# --- Rest, load, size ---------------------------------------------------------------------------------

def wakeups(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M).group(1))
    return total


def at_rest(plan):
    rows = []
    for name, relay, _ in PAIR:
        with Run(relay, feeds=8, subscribers=10, hold=True) as run:
            run.go()
            time.sleep(2)  # the press settles, and libdispatch lets its spare threads go
            pid = run.relay.pids()[0]
            time.sleep(6)
            before = wakeups(pid)
            time.sleep(plan.rest)
            rows.append({"variant": name, "seconds": plan.rest, "wakeups": wakeups(pid) - before})
    return rows


def under_load(plan):
    """Both cores are busy; the load itself is above the noise so that the relay alone is measured."""
    variants = [("floor", Floor, {"priority": 0}), ("forced", Forced, {"priority": 0})]
    if plan.realtime:
        variants += [("floor, SCHED_FIFO", Floor, {}), ("forced, SCHED_FIFO", Forced, {})]
    noise = subprocess.Popen(["stress-ng", "--quiet", "--cpu", str(os.cpu_count())],
                             stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        results = in_turn(plan, variants, frames=plan.frames)
        rows = [{"variant": name, **spread(found, "client")} for name, found in results.items()]
        if plan.realtime:
            rows += cyclictest(plan)
    finally:
        noise.terminate()
        noise.wait()
    return rows


def cyclictest(plan):
    """What the kernel's own timers do meanwhile; nothing where it can't run, such as without /sys."""
    loops = int(plan.frames * plan.rounds)
    done = subprocess.run(
        ["cyclictest", "--quiet", "--mlockall", "--priority=10", "--interval=1000",
         f"--loops={loops}", "--histogram=20000"], capture_output=True, text=True)
    if done.returncode:
        print(f"cyclictest is left out, because it fails here: {done.stderr.strip()}", file=sys.stderr)
        return []
    counts = [(int(a), int(b)) for a, b in re.findall(r"^(\d{6}) (\d+)", done.stdout, re.M)]
    total = sum(count for _, count in counts)

    def rank(share):
        seen = 0
        for latency, count in counts:
            seen += count
            if seen >= share * total:
                return latency
        return None
    return [{"variant": "cyclictest, SCHED_FIFO",
             "p50": rank(0.5), "p99": rank(0.99), "p999": rank(0.999)}]


def size(plan):
    rows = []
    for name, relay, _ in PAIR:
        ready, resident = [], []
        for _ in range(plan.rounds * 2):
            with Run(relay, subscribers=10, hold=True) as run:
                ready.append(run.relay.ready_after)
                run.go()
                with open(f"/proc/{run.relay.pids()[0]}/status") as file:
                    resident.append(int(re.search(r"^VmRSS:\s+(\d+)", file.read(), re.M).group(1)))
        program = DAEMON if name == "forced" else os.path.join(PROGRAMS, "floor")
        rows.append({"variant": name, "ready_ms": median(ready) * 1000,
                     "rss_mib": median(resident) / 1024, "binary_mib": stripped_size(program)})
    return rows


def stripped_size(program):
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, program], check=True)
        return os.path.getsize(copy.name) / (1 << 20)
