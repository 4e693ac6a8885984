"""The results as Markdown."""


def number(value, places=1):
    if value is None:
        return "–"
    # No "-0.00".
    return f"{round(value, places) + 0.0:,.{places}f}" if isinstance(value, float) else f"{value:,}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def percentiles(row):
    return [number(row[name]) for name in ("p50", "p99", "p999")]


def ratios(rows, key):
    """How many times the floor's value, beside each of the daemon's."""
    floor = next((row[key] for row in rows if row["variant"] == "floor"), None)
    return lambda row: f"{row[key] / floor:.2f}" if floor and row[key] else "–"


def latency(title, rows, extra=()):
    times, tail = ratios(rows, "p50"), ratios(rows, "p99")
    head = [title, "p50 µs", "p99 µs", "p99.9 µs", "p50 × floor", "p99 × floor"]
    head += [name for name, _ in extra]
    return table(head, [[row["variant"], *percentiles(row), times(row), tail(row),
                         *(number(row[key]) for _, key in extra)] for row in rows])


def cost(rows):
    return table(
        ["a frame costs", "instructions", "system calls", "allocations"],
        [[row["variant"], number(float(row["instructions"]), 0), number(row["system_calls"], 2),
          number(row["allocations"], 2)] for row in rows])


def grouped(rows, key, head, cells):
    return table(head, [[number(row[key]), row["variant"], *cells(row)] for row in rows])


def fan_out(rows):
    return grouped(
        rows, "subscribers",
        ["subscribers", "", "first p50 µs", "last p50 µs", "last p99 µs", "CPU µs a message"],
        lambda row: [number(row["first_p50"]), number(row["last_p50"]), number(row["last_p99"]),
                     number(row["cpu_us_a_message"], 2)])


def devices(rows):
    return table(
        ["devices", "pressed", "", "p50 µs", "p99 µs", "p99.9 µs", "CPU µs a frame"],
        [[number(row["devices"]), number(row["pressed"]), row["variant"], *percentiles(row),
          number(row["cpu_us_a_frame"])] for row in rows])


def rest(rows):
    return table(["at rest", "seconds", "wake-ups"],
                 [[row["variant"], number(row["seconds"]), number(row["wakeups"])] for row in rows])


def under_load(rows):
    return table(["every core busy", "p50 µs", "p99 µs", "p99.9 µs"],
                 [[row["variant"], *percentiles(row)] for row in rows])


def size(rows):
    return table(["size", "ready after ms", "RSS MiB", "binary MiB, stripped"],
                 [[row["variant"], number(row["ready_ms"]), number(row["rss_mib"]),
                   number(row["binary_mib"])] for row in rows])


SECTIONS = (
    ("event_to_client", lambda rows: latency("event → client", rows,
                                             [("CPU µs a frame", "cpu_us_a_frame")])),
    ("event_to_motor", lambda rows: latency("event → motor", rows)),
    ("cost_of_a_frame", cost), ("fan_out", fan_out), ("devices", devices), ("at_rest", rest),
    ("under_load", under_load), ("size", size))


def markdown(found):
    where = found["machine"]
    parts = [
        f"{where['cpu']}, {where['cores']} cores, {where['system']}, Linux {where['kernel']}, "
        f"{where['date']}; load average {where['load_before']:.1f} before and "
        f"{where['load_after']:.1f} after; {found['rounds']} rounds in turn, medians of the rounds; "
        + ("all under SCHED_FIFO, as the service runs." if found["realtime"]
           else "without real-time scheduling, which this user may not take.")]
    parts += [show(found[name]) for name, show in SECTIONS if name in found]
    return "\n\n".join(parts) + "\n"
