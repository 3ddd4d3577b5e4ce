"""Tables of one account in plain Python: rows, cells, runs, what is paid for, and the ledger."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

INSUFFICIENT = "INSUFFICIENT_CREDITS"
MISSING = ("not_run", "failed")
DEFAULTS = {"contacts": ["fullName", "jobTitle", "companyName"], "companies": ["name", "domain"]}
UNITS = {
    "workEmail": "emails",
    "mobilePhone": "phones",
    "openJobsTotal": "openJobsTotal",
    # of companies that were bare when they became rows; others have paid for it then
    "industry": "company",
}
ACTIONS = {
    "emails": "revealEmail",
    "phones": "revealPhone",
    "company": "revealCompany",
    "openJobsTotal": "revealCompanyPremiumData",
}


class ModelCell(NamedTuple):
    status: str = "not_run"
    value: Any = None
    error: str | None = None


NOT_RUN = ModelCell()


@dataclass
class ModelRun:
    column: str
    left: list[str]
    """Records, in the order of rows."""
    subject: str = ""
    state: str = "open"
    earlier: Counter[str] = field(default_factory=Counter)
    credits: int = 0
    filled: int = 0
    bound: int | None = None
    """Credits that it may cost at most."""


@dataclass
class ModelTable:
    kind: str
    name: str
    columns: dict[str, dict[str, ModelCell]]
    """Cells that were filled, by key and record."""
    rows: list[str] = field(default_factory=list)
    runs: list[ModelRun] = field(default_factory=list)
    """Those of columns that were removed are none of them."""

    def open_runs(self, column: str | None = None) -> list[ModelRun]:
        return [run for run in self.runs if run.state == "open" and (column is None or run.column == column)]

    def shown(self, column: str, record: str) -> ModelCell:
        cell = self.columns[column].get(record, NOT_RUN)
        if any(record in run.left for run in self.open_runs(column)):
            return ModelCell("processing", cell.value, None)
        return cell

    def counters(self, column: str) -> Counter[str]:
        return Counter(self.shown(column, record).status for record in self.rows)


class Entry(NamedTuple):
    """Row of the ledger."""

    action: str
    quantity: int
    credits: int
    subject: str


class Model:
    """Account with its tables. Prices are (credits, quantity) by price key."""

    def __init__(self, records: dict[str, dict[str, dict[str, Any]]], prices, credits: int) -> None:
        self.records = records
        """Values of columns by kind and record; a record is in one kind only."""
        self.prices = prices
        self.granted = credits
        self.paid: set[tuple[str, str]] = set()
        self.ledger: list[Entry] = []
        self.tables: dict[str, ModelTable] = {}

    @property
    def used(self) -> int:
        return sum(entry.credits for entry in self.ledger)

    @property
    def remaining(self) -> int:
        return self.granted - self.used

    def total(self, action: str, quantity: int) -> int:
        credits, each = self.prices[action]
        return -(-quantity // each) * credits

    # --- rows ---

    def new_rows(self, table: ModelTable, sent: list[str]) -> list[str]:
        held = self.records[table.kind]
        return [one for one in dict.fromkeys(sent) if one in held and one not in table.rows]

    def cost_of_rows(self, kind: str, new: list[str]) -> Counter[str]:
        """Return the quantities that adding rows costs by price key."""
        if kind == "contacts":
            return Counter()
        priced = [one for one in new if not self.records[kind][one].get("isBare")]
        unpaid = [one for one in priced if (one, "company") not in self.paid]
        return Counter({"revealCompany": len(unpaid)} if unpaid else {})

    def credits_for(self, quantities: Counter[str]) -> int:
        return sum(self.total(action, quantity) for action, quantity in quantities.items())

    def add_rows(self, table: ModelTable, new: list[str], subject: str) -> int:
        """Add rows whose cost is covered; return it."""
        quantities = self.cost_of_rows(table.kind, new)
        credits = self._charge(quantities, subject)
        for record in new:
            if table.kind == "companies" and not self.records[table.kind][record].get("isBare"):
                self.paid.add((record, "company"))
            table.rows.append(record)
            for key in DEFAULTS[table.kind]:
                table.columns[key][record] = self.content(table, key, record)
        return credits

    def remove_rows(self, table: ModelTable, records: list[str]) -> None:
        for record in records:
            table.rows.remove(record)
            for cells in table.columns.values():
                cells.pop(record, None)
            for run in table.open_runs():
                if record in run.left:
                    run.left.remove(record)
                    self._end_if_filled(run)

    def suppress(self, record: str) -> None:
        del self.records["contacts"][record]
        for table in self.tables.values():
            if record in table.rows:
                self.remove_rows(table, [record])

    def read_rows(self, count: int, subject: str) -> int:
        return self._charge(Counter({"tableRead": count} if count else {}), subject)

    # --- runs ---

    def content(self, table: ModelTable, key: str, record: str) -> ModelCell:
        value = self.records[table.kind][record].get(key)
        return ModelCell("no_data") if value is None else ModelCell("success", value)

    def begin(
        self, table: ModelTable, column: str, scope: str, records: list[str], bound: int | None = None
    ) -> ModelRun | None:
        taken = {record for run in table.open_runs(column) for record in run.left}
        chosen = [record for record in table.rows if record not in taken]
        if scope == "specific":
            chosen = [record for record in chosen if record in records]
        elif scope == "missing":
            chosen = [one for one in chosen if table.columns[column].get(one, NOT_RUN).status in MISSING]
        if not chosen:
            return None
        run = ModelRun(column, chosen, bound=bound)
        table.runs.append(run)
        return run

    def fill(self, table: ModelTable, run: ModelRun, count: int, reached_bound: bool) -> None:
        """Fill the next cells of a run, as one part; the cell after them must be the one beyond its bound."""
        quantities: Counter[str] = Counter()
        for record in run.left[:count]:
            assert not self._is_beyond(table, run, record, quantities)
            self._fill_cell(table, run, record, quantities)
        if reached_bound:
            assert self._is_beyond(table, run, run.left[count], quantities)
        del run.left[:count]
        run.filled += count
        charged = self._cost(run, quantities)
        self.ledger += [
            Entry(action, quantity, self._added(run, action, quantity), run.subject)
            for action, quantity in quantities.items()
            if self.prices[action][0]
        ]
        run.credits += charged
        run.earlier += quantities
        if reached_bound:
            self.stop(run)
        self._end_if_filled(run)

    def _is_beyond(self, table: ModelTable, run: ModelRun, record: str, quantities: Counter[str]) -> bool:
        cost = self._cost(run, quantities + self._due(table, run, record))
        return run.bound is not None and run.credits + cost > run.bound

    def _fill_cell(self, table: ModelTable, run: ModelRun, record: str, quantities: Counter[str]) -> None:
        cells, due = table.columns[run.column], self._due(table, run, record)
        if due and self._cost(run, quantities + due) > self.remaining:
            cells[record] = ModelCell("failed", cells.get(record, NOT_RUN).value, INSUFFICIENT)
            return
        if due:
            quantities += due
            self.paid.add((record, UNITS[run.column]))
        cells[record] = self.content(table, run.column, record)

    def _due(self, table: ModelTable, run: ModelRun, record: str) -> Counter[str]:
        """Return what filling a cell has to be paid for, by price key."""
        unit = UNITS.get(run.column)
        is_held = self.content(table, run.column, record).status == "success"
        is_due = unit is not None and is_held and (record, unit) not in self.paid
        return Counter({ACTIONS[unit]: 1} if is_due else {})

    def _cost(self, run: ModelRun, quantities: Counter[str]) -> int:
        return sum(self._added(run, action, quantity) for action, quantity in quantities.items())

    def _added(self, run: ModelRun, action: str, quantity: int) -> int:
        """Return what a quantity adds to the price of all that the run has charged."""
        before = run.earlier[action]
        return self.total(action, before + quantity) - self.total(action, before)

    def stop(self, run: ModelRun) -> None:
        run.left.clear()
        run.state = "stopped"

    def remove_column(self, table: ModelTable, column: str) -> None:
        for run in table.open_runs(column):
            self.stop(run)
        table.runs = [run for run in table.runs if run.column != column]
        del table.columns[column]

    @staticmethod
    def _end_if_filled(run: ModelRun) -> None:
        if not run.left and run.state == "open":
            run.state = "done"

    def _charge(self, quantities: Counter[str], subject: str) -> int:
        entries = [
            Entry(action, quantity, self.total(action, quantity), subject)
            for action, quantity in quantities.items()
        ]
        self.ledger += entries
        return sum(entry.credits for entry in entries)
