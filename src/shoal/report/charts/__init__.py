"""Pictures of the report, drawn as SVG: each a pure function from facts to text."""

from shoal.report.charts.class_sizes import class_sizes
from shoal.report.charts.distribution import distribution
from shoal.report.charts.frontier import frontier
from shoal.report.charts.ladder import ladder
from shoal.report.charts.meter import meter
from shoal.report.charts.mix import mix
from shoal.report.charts.risk import risk_before_after
from shoal.report.charts.trade_off import trade_off

__all__ = ["class_sizes", "distribution", "frontier", "ladder", "meter", "mix", "risk_before_after", "trade_off"]
