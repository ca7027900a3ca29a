"""What a run measured, as an object: the report's JSON, its page, its table, and a verdict on two of its rows."""
import html
import io
import json
import os

from gdbench import program


class Verdict:
    """`a` beside `b`: how many times as long a step of a takes, the interval of 95% around it, and what may be said."""

    def __init__(self, explained):
        comparison = explained["whole"]["comparison"]
        self.a, self.b = explained["a"], explained["b"]
        self.ratio = comparison["ratio"]["value"]
        interval = comparison["ratio"].get("interval") or {}
        self.interval = (interval.get("low"), interval.get("high"))
        self.verdict, self.remark = comparison["verdict"], comparison.get("remark", "")

    def __repr__(self):
        low, high = self.interval
        interval = f" [{low:.3g}, {high:.3g}]" if low is not None else ""
        remark = f" ({self.remark})" if self.remark else ""
        return f"{self.a} takes {self.ratio:.3g}x{interval} as long as {self.b}: {self.verdict}{remark}"


class Report:
    """A report's file. `data` is its JSON, `text` what the command printed."""

    def __init__(self, path, text=""):
        self.path, self.text = os.fspath(path), text
        with open(path, encoding="utf-8") as file:
            self.data = json.load(file)

    def __repr__(self):
        return self.text or program.call(["report", self.path])

    def _repr_html_(self):
        """The page of the report, in a frame of its own: its first part, the rest by scrolling."""
        page = html.escape(program.call(["report", self.path, "--html", "-"]), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:36em;border:1px solid #ccc"></iframe>'

    def to_pandas(self):
        """A pandas.DataFrame with a row for each cell, as `gdbench report --csv` has it."""
        import pandas

        return pandas.read_csv(io.StringIO(program.call(["report", self.path, "--csv", "-"])))

    def verdict(self, a, b, scenario=None):
        """Of two implementations, or ids of cells; of several scenarios one is named. Errors: gdbench's."""
        selected = [scenario] if scenario else []
        answer = json.loads(program.call(["explain", self.path, *selected, "--a", a, "--b", b, "--json"]))
        return Verdict(answer["explanations"][0])
