"""Tests run from the editor: asked of a worker process, which may be stopped."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from qdsl.lsp.document import Document
from qdsl.lsp.lenses import Verdict

LONGEST = 600.0
"""Seconds after which a worker is stopped."""


@dataclass(frozen=True)
class Outcome:
    """What came of running tests."""

    verdicts: dict[tuple[str, str], Verdict]
    error: str | None = None
    """Why nothing could be run."""

    @property
    def failed(self) -> Sequence[tuple[tuple[str, str], Verdict]]:
        return [(key, verdict) for key, verdict in self.verdicts.items() if not verdict.passed]

    @property
    def sentence(self) -> str:
        """For a message box."""
        if self.error is not None:
            return f"the tests were not run: {self.error}"
        if not self.failed:
            return "the test passed" if len(self.verdicts) == 1 else f"all {len(self.verdicts)} tests passed"
        (_, title), verdict = self.failed[0]
        others = f" (and {len(self.failed) - 1} more)" if len(self.failed) > 1 else ""
        return f'"{title}" failed: {verdict.message}{others}'


async def run_tests(document: Document, rule: str, title: str | None) -> Outcome:
    """Runs a test as it stands in the editor, or all tests of a rule. Cancelling stops the worker."""
    request = {"path": document.path, "open": dict(document.texts.open), "rule": rule, "title": title}
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "qdsl.lsp.worker",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, complaints = await asyncio.wait_for(worker.communicate(json.dumps(request).encode()), LONGEST)
    except asyncio.TimeoutError:
        return Outcome({}, f"no answer within {LONGEST:.0f} seconds")
    finally:
        if worker.returncode is None:
            worker.kill()
            await worker.wait()
    if worker.returncode:
        said = complaints.decode(errors="replace").strip().splitlines()
        return Outcome({}, f"the worker ended with {worker.returncode}: {said[-1] if said else 'it said nothing'}")
    answer = json.loads(out)
    verdicts = {(c["rule"], c["title"]): Verdict(c["passed"], c["message"], c["text"]) for c in answer["cases"]}
    return Outcome(verdicts, answer["error"])
