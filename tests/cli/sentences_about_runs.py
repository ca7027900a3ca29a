"""Templates of the sentences that say what was run, on which machine, and what a scenario is."""

import re

from printed_figures import NUMBER, is_bytes, is_time, three_digits
from sentence_templates import plural, require, template


@template(r"run (?P<id>\S+): (?P<rest>.+)")
def run(context, sentence, id, rest):
    known = context.report.run
    expected = [known["status"], f"started {known['started_at']}"] + (
        [f"matrix {known['matrix']}"] if known["matrix"] else []
    )
    expected += [f"seed {known['seed']}"] + (["quick"] if known["quick"] else [])
    require(id == known["id"] and rest.split(", ") == expected, f"expected {expected}")


def environment_words(environment):
    cpu, build = environment.get("cpu", {}), environment.get("build", {})
    count, revision = cpu.get("logical_processors"), build.get("git_revision", "")[:12]
    parts = [
        cpu.get("model"),
        plural(count, "logical processor") if count else None,
        environment.get("kernel"),
        build.get("compiler"),
    ]
    parts += [f"git {revision}" + (" with changes" if build.get("git_dirty") else "")] if revision else []
    return ", ".join(part for part in parts if part)


@template(r"(?P<text>.+, git \S+(?: with changes)?)")
def environment(context, sentence, text):
    require(text == environment_words(context.report.document["environment"]), "the machine is another")


def best_ceilings(ceilings, threads=1):
    """(key -> best figure, level -> best bandwidths, span -> best bandwidth, function -> best rate of f32) over all
    measurements of so many threads and vector widths."""
    measured = [entry for entry in ceilings["measurements"] if entry.get("threads", 1) == threads]
    rates, bandwidths, spans, functions = {}, {}, {}, {}
    for width in (width for measurement in measured for width in measurement["widths"]):
        for key, value in width.items():
            if key.endswith("_gflop_per_second"):
                rates[key] = max(value, rates.get(key, 0.0))
            elif key.endswith("_latency_ns") and value > 0:
                rates[key] = min(value, rates.get(key, value))
        for level in width["levels"]:
            read, update = bandwidths.get(level["level"], (0.0, 0.0))
            found = level["read_gb_per_second"], level["update_gb_per_second"]
            bandwidths[level["level"]] = max(read, found[0]), max(update, found[1])
        for entry in width.get("spans", []):
            key = entry["span"]["bytes"], entry["span"]["read_only"], entry["span"]["written"]
            spans[key] = max(entry["gb_per_second"], spans.get(key, 0.0))
        for key, value in width.get("functions_f32", {}).items():
            functions[key] = max(value, functions.get(key, 0.0))
    return rates, bandwidths, spans, functions


def span_words(span):
    total, read_only, written = span
    arrays = plural(read_only + written, "array")
    return " read" if written == 0 else f" with {written} of {arrays} written"


def check_spans(text, spans):
    """`text` names each span once, in any order."""
    named = text.split(", ") if text else []
    require(len(named) == len(spans), f"{len(spans)} spans were measured")
    for words in named:
        require(
            any(
                is_bytes(words.split(span_words(span))[0], span[0])
                and three_digits(rate, words.rsplit(" ", 1)[1])
                for span, rate in spans.items()
                if span_words(span) in words
            ),
            f"{words} is wrong",
        )


def check_functions(text, functions):
    names = {"exp": "exponentials", "division": "divisions", "root": "roots"}
    for part in text.split(", "):
        name, rate, *refined = part.replace(" or ", " ").replace(" refined", "").split(" ")
        require(three_digits(functions[f"{names[name]}_per_ns"], rate), f"the rate of {name} is another")
        for value in refined:
            require(three_digits(functions[f"refined_{names[name]}_per_ns"], value), f"the refined {name} is another")


@template(
    r"ceilings of processor (?P<processor>\d+) \(\S+, best of (?P<count>\d+) measurements?\): FMA (?P<f32><NUMBER>) GFLOP/s "
    r"f32, (?P<f64><NUMBER>) f64(?:, products (?P<bf16><NUMBER>) bf16)?, latency (?P<latency><TIME>)(?:; f32 a ns: (?P<functions>[^;]+))?"
    r"; GB/s read/updated: (?P<levels>[^;]+)(?:; GB/s of spans: (?P<spans>[^;]+))?(?P<teams>(?:; \d+ threads: .+)?)"
)
def ceilings(context, sentence, processor, count, f32, f64, bf16, latency, functions, levels, spans, teams):
    measured = context.report.document["ceilings"]
    rates, bandwidths, known_spans, known_functions = best_ceilings(measured)
    of_one = [entry for entry in measured["measurements"] if "threads" not in entry]
    require((int(processor), int(count)) == (measured["processor"], len(of_one)), "they are others'")
    require(three_digits(rates["fma_f32_gflop_per_second"], f32), "the f32 rate is another")
    require(three_digits(rates["fma_f64_gflop_per_second"], f64), "the f64 rate is another")
    check_bf16(bf16, rates)
    require(is_time(latency, rates["fma_f32_latency_ns"]), "the latency is another")
    require(bool(functions) == bool(known_functions), "functions were measured, or were not")
    if functions:
        check_functions(functions, known_functions)
    for level in levels.split(", "):
        name, read, update = re.fullmatch(rf"(\S+) ({NUMBER})/({NUMBER})", level).groups()
        require(
            three_digits(bandwidths[name][0], read) and three_digits(bandwidths[name][1], update), f"{level} is wrong"
        )
    check_spans(spans or "", known_spans)
    check_teams(teams, measured)


def check_bf16(found, rates):
    rate = rates.get("bf16_gflop_per_second", 0)
    require(bool(found) == (rate > 0), "products of bfloat16 were measured, or were not")
    if found:
        require(three_digits(rate, found), "the bf16 rate is another")


def check_teams(text, measured):
    counts = sorted({entry["threads"] for entry in measured["measurements"] if "threads" in entry})
    found = re.findall(
        rf"; (\d+) threads: FMA ({NUMBER}) GFLOP/s f32, ({NUMBER}) f64(?:, products ({NUMBER}) bf16)?(?:; GB/s of spans: ([^;]+))?", text
    )
    require([int(threads) for threads, *_ in found] == counts, f"{counts} threads were measured")
    for threads, f32, f64, bf16, spans in found:
        rates, _, known_spans, _ = best_ceilings(measured, int(threads))
        require(three_digits(rates["fma_f32_gflop_per_second"], f32), "the f32 rate of threads is another")
        require(three_digits(rates["fma_f64_gflop_per_second"], f64), "the f64 rate of threads is another")
        check_bf16(bf16, rates)
        check_spans(spans, known_spans)


def spread(values):
    return f"{min(values)}" + (f" to {max(values)}" if max(values) > min(values) else "") if values else ""


def measured_words(report):
    """The first line of the first screen, in parts."""
    known, cells = report.run, report.cells
    launches = spread([cell.step.launches for cell in cells if cell.is_timed])
    threads = spread([cell.threads for cell in cells])
    dtypes = sorted({scenario["resolved"].get("dtype", "") for scenario in report.scenarios.values()} - {""})
    implementations = {cell.implementation for cell in cells + report.control_cells}
    parts = [
        "gdbench " + known["matrix"] if known["matrix"] else "gdbench",
        known["status"] if known["status"] != "complete" else "",
        plural(len(report.scenarios), "scenario"),
        plural(len(implementations), "implementation"),
        threads and threads + (" thread" if threads == "1" else " threads"),
        " and ".join(dtypes),
        launches and launches + (" launch each" if launches == "1" else " launches each"),
        "quick" if known["quick"] else "",
        f"{report.elapsed()} s" if report.elapsed() > 0 else "",
        f"shard {known['shard']}" if known.get("shard") else "",
    ]
    return ", ".join(part for part in parts if part)


def versions_words(report):
    parts = [part for cell in report.everything if cell.is_timed for part in cell.record["build"].split(", ")]
    return ", ".join(dict.fromkeys(part for part in parts if re.fullmatch(r"\S+ \d\S*", part)))


def check_head(report, lines):
    """Complaints about the first lines, which end where there was no room."""
    machine = environment_words(report.document["environment"])
    expected = [text for text in (measured_words(report), machine, versions_words(report)) if text]
    begins = lambda line, whole: whole.startswith(line.removesuffix("..")) and line
    return [
        f"{line!r}: expected {whole!r}" for line, whole in zip(lines, expected, strict=True) if not begins(line, whole)
    ]


@template(r"(?P<text>.+\d(?:\.\d+)? [kMGT]?flop per step)")
def scenario(context, sentence, text):
    known = next(s for s in context.report.scenarios.values() if s["label"] == sentence.scenario)
    epoch = -(-known["rows"] // max(known["batch_rows"], 1))
    widths = [str(layer["width"]) for layer in known["resolved"].get("model", {}).get("layers", [])]
    exact = {
        r"(\d+) rows x (\d+) features?": (known["rows"], known["features"]),
        r"(\d+) parameters?": (known["parameters"],),
        r"batch of (\d+)": (known["batch_rows"],),
        r"(\d+) steps? per epoch": (epoch,),
    }
    for part in text.split(", "):
        pattern = next((pattern for pattern in exact if re.fullmatch(pattern, part)), None)
        if pattern:
            require(tuple(map(int, re.fullmatch(pattern, part).groups())) == exact[pattern], part)
        elif match := re.fullmatch(rf"({NUMBER}) ([kMGT]?)flop per step", part):
            scale = 1000.0 ** ("kMGT".index(match[2]) + 1 if match[2] else 0)
            require(three_digits(known["operations_per_step"] / scale, match[1]), part)
        elif match := re.fullmatch(r"[a-z -]+ ([\d-]+)(?: \(.+\)?)?", part):
            require(match[1].split("-") == [str(known["features"]), *widths], part)
        else:
            require(
                not re.search(r"\d", part)
                or part in ("f16", "f32", "f64")
                or part.split(" ")[-1].rstrip(")") in str(known["resolved"]),
                f"unknown part {part!r}",
            )
    require("full batch" not in text or known["batch_rows"] == known["rows"], "the batch is not all rows")
