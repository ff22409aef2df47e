"""Columns that may name groups of rows, and tests whether rows of a value are alike.

With m_v the mean of another column over the rows of value v, words are tested by the
sum of squares between values, and numbers by

    D_v = m_v - (the line through the means of both neighbouring values, at v),

since ages and years make rows alike, too, but smoothly. Trials of several columns are
decided together, by the maximum of their statistics over permutations of the rows.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import PCA

from .dependence import ranks, residuals
from .intervals import FEWEST_GROUPS

TEST_LEVEL = 0.01
N_PERMUTATIONS = 999
# A first, smaller number of permutations ends the search where no column can pass.
N_FIRST_PERMUTATIONS = 99
MOST_ABOVE_FIRST = 3
MOST_TRIAL_ROWS = 1000
MOST_COMPONENTS = 50
# A threshold, such as a pension at 65, makes two jumps: the largest are left out.
TRIMMED_FRACTION = 0.1
FEWEST_TRIMMED = 2
LEAST_EXCESS = 0.05  # of the variance of a column
FEWEST_NUMBERS = 12
# Most different words, and numbers, for each row that has a value.
MOST_WORDS_PER_ROW = 0.5
MOST_NUMBERS_PER_ROW = 0.75


@dataclass(frozen=True, kw_only=True)
class Key:
    """A column that may name groups of rows.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray of float, shape (n,)
        Its numbers, or codes of its words; NaN where one is missing.
    is_number : bool
        Whether these are numbers, whose order and differences mean something.
    part : int, default=-1
        Number of the table's column that it is; -1 if it is no feature.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Number of the value of each row from 0, -1 where it is missing.
    levels : ndarray of float, shape (n_values,)
        Different values.

    Examples
    --------
    >>> key = Key(name="site", values=np.array([7.0, 7.0, np.nan]), is_number=True)
    >>> key.codes.tolist(), key.groups.tolist()
    ([0, 0, -1], [0, 0, -3])
    """

    name: str
    values: np.ndarray
    is_number: bool
    part: int = -1

    @cached_property
    def levels(self):
        return np.unique(self.values[~np.isnan(self.values)])

    @cached_property
    def codes(self):
        codes = np.searchsorted(self.levels, self.values)
        return np.where(np.isnan(self.values), -1, codes)

    @property
    def groups(self):
        """Groups (n,) of rows of one value; a row without a value is a group."""
        codes = self.codes
        single_groups = -1 - np.arange(len(codes))
        return np.where(codes < 0, single_groups, codes)

    @property
    def is_repeated(self):
        """Whether its values repeat often enough to be tested."""
        n_values = len(self.levels)
        n_rows = np.sum(self.codes >= 0)
        if self.is_number:
            return FEWEST_NUMBERS <= n_values <= MOST_NUMBERS_PER_ROW * n_rows
        return FEWEST_GROUPS <= n_values <= MOST_WORDS_PER_ROW * n_rows

    def at(self, rows):
        """Return the same column at some rows, by their numbers (n_rows,)."""
        return replace(self, values=self.values[rows])

    def determines(self, other):
        """Return whether rows of one value have one value of another key."""
        has_value = self.codes >= 0
        pairs = np.column_stack([self.codes, other.codes])[has_value]
        return len(np.unique(pairs, axis=0)) == len(self.levels)

    def is_nested(self, other):
        """Return whether one of two keys determines the other."""
        return self.determines(other) or other.determines(self)

    def sample(self, most_rows, rng):
        """Draw random words or adjacent numbers, and return numbers of their rows."""
        rows = np.flatnonzero(self.codes >= 0)
        if len(rows) <= most_rows:
            return rows
        codes = self.codes[rows]
        order = rng.permutation(len(self.levels))
        if self.is_number:
            order = np.roll(np.arange(len(order)), -order[0])
        n_rows = np.bincount(codes)[order].cumsum()
        n_chosen = max(FEWEST_NUMBERS, np.searchsorted(n_rows, most_rows))
        return rows[np.isin(codes, order[:n_chosen])]


@dataclass(kw_only=True)
class Trial:
    """A key on the rows that it is tested on.

    Attributes
    ----------
    full_key : Key
        The key at all rows.
    rows : ndarray of int, shape (m,)
        Numbers of the rows that it is tested on, none of which lacks a value.
    A : ndarray of shape (m, n_targets + n_components)
        Columns of the target, and of what it leaves of the other columns.
    n_targets : int
        Number of columns of the target.
    blocks : ndarray of shape (m,), optional
        Rows are exchanged within blocks; by default all of them.
    exchanged : ndarray of shape (m, n_targets + n_components), optional
        What permutations exchange if rows of a value are not alike; by default A of
        words, and of numbers what the means of all values leave: the means may depend
        smoothly on the number.
    strength : ndarray of shape (2,)
        Standardised statistics of the target and of the other columns; of numbers,
        which need one of the two, twice the larger one.
    """

    full_key: Key
    rows: np.ndarray
    A: np.ndarray
    n_targets: int
    blocks: np.ndarray = None
    exchanged: np.ndarray = None
    strength: np.ndarray = None

    def __post_init__(self):
        self.key = self.full_key.at(self.rows)
        codes = self.key.codes
        self.counts = np.bincount(codes)
        self.sums = sum_matrix(codes)
        if self.blocks is not None:
            self.by_block = np.argsort(self.blocks, kind="stable")
        if self.exchanged is None:
            self.exchanged = self.A
            if self.key.is_number:
                self.exchanged = deviations(self.A, codes)

    def statistics(self, A):
        """Return how alike rows of a value are in each column of A (m, q)."""
        sums = self.sums @ A
        counts = self.counts[:, None]
        if not self.key.is_number:
            return (sums**2 / counts).sum(axis=0)
        means = sums / counts
        variances = self._variances(A, means)
        squares = self._jumps(means) ** 2 / self._jump_variances()
        n_trimmed = max(FEWEST_TRIMMED, int(TRIMMED_FRACTION * len(squares)))
        n_kept = len(squares) - n_trimmed
        squares.partition(n_kept - 1, axis=0)
        return squares[:n_kept].mean(axis=0) / variances

    def permuted(self, rng, n_permutations):
        """Return statistics (n_permutations, q) of rows permuted within blocks."""
        n_rows = len(self.exchanged)
        order = np.arange(n_rows)
        statistics = []
        for _ in range(n_permutations):
            if self.blocks is None:
                rng.shuffle(order)
            else:
                order[self.by_block] = np.lexsort(
                    [rng.random(n_rows), self.blocks]
                )
            statistics.append(self.statistics(self.exchanged[order]))
        return np.array(statistics)

    def combined(self, z):
        """Return two statistics (..., 2) of standardised ones z (..., q)."""
        of_target = z[..., : self.n_targets].max(axis=-1)
        of_columns = z[..., self.n_targets :].max(axis=-1, initial=-np.inf)
        if self.key.is_number:
            larger = np.maximum(of_target, of_columns)
            return np.stack([larger, larger], axis=-1)
        return np.stack([of_target, of_columns], axis=-1)

    def standardise(self, permuted):
        """Return statistics of permuted rows (b, 2), and store the true ones."""
        roots = np.cbrt(permuted)
        centre = roots.mean(axis=0)
        scale = np.maximum(roots.std(axis=0), 1e-12)
        true = self.statistics(self.A)
        z = (np.cbrt(true) - centre) / scale
        if self.key.is_number:
            excess = self._excess(true, permuted.mean(axis=0))
            z = np.where(excess >= LEAST_EXCESS, z, -np.inf)
        self.strength = self.combined(z)
        return self.combined((roots - centre) / scale)

    def _line_weights(self):
        """Weights (n_values - 2, 1) of the lower neighbour in the line at a value."""
        levels = self.key.levels
        weights = (levels[2:] - levels[1:-1]) / (levels[2:] - levels[:-2])
        return weights[:, None]

    def _jumps(self, means):
        """D_v of the inner values (n_values - 2, q)."""
        lower = self._line_weights()
        return means[1:-1] - lower * means[:-2] - (1 - lower) * means[2:]

    def _jump_variances(self):
        """Variances (n_values - 2, 1) of D_v of independent rows of variance 1."""
        lower = self._line_weights()
        inverse = 1 / self.counts[:, None]
        variances = inverse[1:-1] + lower**2 * inverse[:-2]
        return variances + (1 - lower) ** 2 * inverse[2:]

    def _variances(self, A, means):
        """Variances (q,) of rows within values."""
        squares_of_means = self.counts[:, None] * means**2
        squares = (A**2).sum(axis=0) - squares_of_means.sum(axis=0)
        n_free = max(len(A) - len(means), 1)
        return np.maximum(squares / n_free, 1e-12)

    def _excess(self, true, expected):
        """Proportion (q,) of the variance of each column that values add to a line."""
        lower = self._line_weights()
        # The effects of three values meet in D_v.
        n_effects = 1 + lower**2 + (1 - lower) ** 2
        means = group_means(self.A, self.key.codes)
        within = self._variances(self.A, means)
        mean_noise = np.mean(self._jump_variances() / n_effects)
        effects = (true - expected) * within * mean_noise
        return effects / np.maximum(self.A.var(axis=0), 1e-12)


def make_trial(key, T, columns, rng):
    """Make the `Trial` of a key.

    Parameters
    ----------
    key : Key
        Column to be tested.
    T : ndarray of shape (n, q)
        Columns of the target.
    columns : ndarray of shape (n, p)
        Other columns of the table.
    rng : numpy Generator
        Random number generator that draws the rows.

    Returns
    -------
    trial : Trial
        The key on the rows that it is tested on.
    """
    rows = key.sample(MOST_TRIAL_ROWS, rng)
    if key.is_number:
        rows = rows[_is_balanced(key.codes[rows], rng)]
    T = T[rows]
    R = residuals(ranks(columns[rows]), T)
    n_components = min(MOST_COMPONENTS, *R.shape)
    A = [T]
    if 2 * R.shape[1] <= MOST_COMPONENTS:
        A.append(R)
    if n_components > 1:
        # What two columns leave of each other may show more than each of them.
        R = R / np.maximum(R.std(axis=0), 1e-12)
        A.append(PCA(n_components, random_state=0).fit_transform(R))
    return Trial(full_key=key, rows=rows, A=np.hstack(A), n_targets=T.shape[1])


def _is_balanced(codes, rng):
    """Rows (n,) to be used so that none of the values has most of the rows.

    Deviations from the means of all values are exchanged: they should come from many.
    A value has at most twice the rows of the median repeated one, or two where only few
    are repeated.
    """
    counts = np.bincount(codes)
    repeated_counts = counts[counts > 1]
    most_rows = 2
    if len(repeated_counts) >= FEWEST_GROUPS:
        most_rows = 2 * np.median(repeated_counts)
    order = rng.permutation(len(codes))
    by_value = order[np.argsort(codes[order], kind="stable")]
    sorted_codes = codes[by_value]
    starts = np.searchsorted(sorted_codes, sorted_codes)
    is_used = np.empty(len(codes), dtype=bool)
    is_used[by_value] = np.arange(len(codes)) - starts < most_rows
    return is_used


def passing_trials(trials, rng, level=TEST_LEVEL):
    """Return the trials whose rows are alike, at one level for all.

    Parameters
    ----------
    trials : list of Trial
        Trials, each of one key.
    rng : numpy Generator
        Random number generator of the permutations.
    level : float, default=0.01
        Level of the test.

    Returns
    -------
    passing : list of Trial
        Those that pass, with their `strength`.
    """
    most_above = MOST_ABOVE_FIRST * level / TEST_LEVEL
    survivors = []
    for trial in trials:
        permuted = trial.permuted(rng, N_FIRST_PERMUTATIONS)
        if np.all(_n_above(trial.standardise(permuted), trial) <= most_above):
            survivors.append(trial)
    if not survivors:
        return []
    statistics = []
    for trial in trials:
        permuted = trial.permuted(rng, N_PERMUTATIONS)
        statistics.append(trial.standardise(permuted))
    maxima = np.max(statistics, axis=0)
    limit = level * (1 + N_PERMUTATIONS) - 1
    return [
        trial for trial in survivors if np.all(_n_above(maxima, trial) <= limit)
    ]


def _n_above(permuted, trial):
    """How many statistics of permuted rows (b, 2) are not below the true ones, (2,)."""
    return np.sum(permuted >= trial.strength, axis=0)


def sum_matrix(codes):
    """The matrix (n_groups, n) that sums rows of each group, by their codes (n,)."""
    return csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))


def group_means(A, codes):
    """Means (n_groups, q) of the rows of A of each group, by their codes (n,)."""
    return sum_matrix(codes) @ A / np.bincount(codes)[:, None]


def deviations(A, codes):
    """Deviations (n, q) of the rows of A from the means of their groups."""
    return A - group_means(A, codes)[codes]
