"""Pictures of the report, drawn as SVG: each a pure function from facts to text."""

from shoal.report.tables.charts.class_sizes import class_sizes
from shoal.report.tables.charts.distribution import distribution
from shoal.report.tables.charts.frontier import frontier
from shoal.report.tables.charts.ladder import ladder
from shoal.report.tables.charts.meter import meter
from shoal.report.tables.charts.mix import mix
from shoal.report.tables.charts.risk import risk_before_after
from shoal.report.tables.charts.trade_off import trade_off

__all__ = ["class_sizes", "distribution", "frontier", "ladder", "meter", "mix", "risk_before_after", "trade_off"]
