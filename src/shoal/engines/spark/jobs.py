"""Running Spark's work: telling how far it is, stopping it, and keeping what Spark says about failures to names.

Every action goes through here. Spark's exceptions quote cells of the data and are pages long, so of them only the kind is told.
"""

from __future__ import annotations

import re
import signal
import threading
import uuid
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from shoal.engines.driver.pace import Pace
from shoal.engines.driver.watch import watched
from shoal.engines.spark.session import context_of, cut_for, settings
from shoal.errors import DataError, InternalError, ShoalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType

    from pyspark.sql import SparkSession

    from shoal.engines.engine import Listener

T = TypeVar("T")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_AGAIN = 0.2  # seconds until Spark is told again to stop
_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
# names of exceptions in Spark's texts, and nothing else of them
_JAVA = re.compile(r"\b(?:java|javax|org|scala)(?:\.[a-z_]\w*)+\.([A-Z]\w*(?:Exception|Error))\b")
_PYTHON = re.compile(r"^(?:\w+\.)*([A-Z]\w*(?:Error|Exception))(?::|$)", re.MULTILINE)
# and what else of them helps whoever runs it
_PLACES = {
    "OutOfMemoryError": "out of memory",
    "No space left on device": "a disk is full",
    "ExecutorLostFailure": "workers were lost",
    "SparkContext was shut down": "Spark was shut down",
    "cancelled": "it was cancelled",
}
_OURS = ("INTERNAL_ERROR", "UNRESOLVED_COLUMN", "DATATYPE_MISMATCH", "MISSING_ATTRIBUTES")


@dataclass(frozen=True, eq=False)
class Jobs:
    """`listener` is called while an action runs; when it raises, the action is cancelled. `records`: how many the data has, where
    that is known; as many tasks as they are worth are planned."""

    session: SparkSession
    listener: Listener | None = None
    records: int | None = None

    def run(self, stage: str, doing: str, action: Callable[[], T], *, rows: int | None = None) -> T:
        """What the action returns. rows: how many records it goes over, where that is known."""
        name = f"shoal-{uuid.uuid4()}"
        pace = Pace(self.listener or _quiet, stage, doing, rows)
        try:
            with self._interruptible(name), self._named(name, stage), self._watched(name, pace), self._cut():
                try:
                    return action()
                except ShoalError:
                    raise
                except Exception as error:
                    raise error_of(error, stage) from None
        except ConnectionError as error:  # met by whoever watches, or cleans up, when Spark is gone
            raise error_of(error, stage) from None

    def _cut(self) -> AbstractContextManager[None]:
        return nullcontext() if self.records is None else settings(self.session, cut_for(self.session, self.records))

    @contextmanager
    def _interruptible(self, name: str) -> Iterator[None]:
        """Ctrl-C ends what runs in Spark at once: Spark's own calls wait for that, and what they raise then is not meant."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ended, raised = threading.Event(), list[BaseException]()
        before = {number: handler for number in _SIGNALS if callable(handler := signal.getsignal(number))}

        def stop() -> None:
            self._stop(name)
            while not ended.wait(_AGAIN):  # it may only just have begun
                self._stop(name)

        def handle(number: int, frame: FrameType | None) -> None:
            threading.Thread(target=stop, name="shoal-stop", daemon=True).start()  # this thread may be talking to Spark
            try:
                before[signal.Signals(number)](number, frame)
            except BaseException as error:
                raised.append(error)
                raise

        for number in before:
            signal.signal(number, handle)
        try:
            yield
        except BaseException:
            if raised:
                raise raised[0] from None
            raise
        finally:
            ended.set()
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def _watched(self, name: str, pace: Pace) -> Iterator[None]:
        if self.listener is None:
            yield
            return
        with watched(lambda: pace.share(self._done(name)), lambda: self._stop(name)):
            yield

    @contextmanager
    def _named(self, name: str, stage: str) -> Iterator[None]:
        """Whatever this thread starts in Spark carries the name, by which it can be found and stopped."""
        context = self._context
        if context is None:
            self.session.addTag(name)
            try:
                yield
            finally:
                self.session.removeTag(name)
            return
        before = {key: context.getLocalProperty(key) for key in _PROPERTIES}
        context.setJobGroup(name, f"shoal: {stage}", interruptOnCancel=True)
        try:
            yield
        finally:
            for key, value in before.items():
                context.setLocalProperty(key, value)

    @cached_property
    def _context(self) -> Any:
        return context_of(self.session)

    def _stop(self, name: str) -> None:
        if self._context is None:
            self.session.interruptTag(name)
        else:
            self._context.cancelJobGroup(name)

    def _done(self, name: str) -> float | None:
        """The share of tasks that have ended, of those that Spark has planned so far."""
        if self._context is None:
            return None
        tracker = self._context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(name)]
        stages = {stage for job in jobs if job is not None for stage in job.stageIds}
        infos = [info for stage in stages if (info := tracker.getStageInfo(stage)) is not None]
        tasks = sum(info.numTasks for info in infos)
        return sum(info.numCompletedTasks for info in infos) / tasks if tasks else None


def error_of(error: Exception, stage: str) -> ShoalError:
    """An exception of ours for one of Spark, with the names of what went wrong and none of its text."""
    if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
        return DataError(
            f"The process that drives Spark ended at {stage!r}; nothing was published. Mostly it ran out of memory, or the system "
            'ended it for that. Give it more: settings = { "spark.driver.memory" = "8g" } in [engine]; without it Spark takes 1 GB.'
        )
    condition = getattr(error, "getCondition", lambda: None)() or ""
    text = str(error)
    if "spark.driver.maxResultSize" in text:
        return DataError(
            f"Spark could not finish {stage!r}: more would come back than spark.driver.maxResultSize allows. What comes back are "
            "distinct combinations; raise the limit, or give fewer columns the role `quasi` or `sensitive`."
        )
    python = type(error).__name__ == "PythonException"
    causes = dict.fromkeys(_PYTHON.findall(text) if python else _JAVA.findall(text))
    names = [condition, *(name for name in causes if name not in {"SparkException", condition})]
    if not python:
        names += [words for sign, words in _PLACES.items() if sign in text]
    shown = ", ".join(dict.fromkeys(filter(None, names))) or type(error).__name__
    if python or condition.startswith(_OURS) or not _is_sparks(error):
        return InternalError(f"Spark failed at {stage!r} ({shown}); nothing was published.")
    return DataError(f"Spark could not finish {stage!r} ({shown}); nothing was published. Its own log says more.")


def _is_sparks(error: Exception) -> bool:
    return type(error).__module__.split(".")[0] in {"pyspark", "py4j", "grpc"}


def _quiet(_: object) -> None:
    """Nobody listens."""
