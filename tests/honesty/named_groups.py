"""Tables in which a column names persons, occupations, couples or places, or measures something.

Each function takes a generator of NumPy and returns a `Process`.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from .tables import Process, independent, table


def shuffled(frame, rng):
    """The rows in random order."""
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def correlated(centres, share, rng):
    """Normal values of variance 1; `share` of it is that of the centres."""
    noise = rng.normal(size=np.shape(centres))
    return np.sqrt(share) * centres + np.sqrt(1 - share) * noise


# ---- columns that name


NAMES = {
    "words": lambda i: f"P{11 + i:03d}",
    "words with a year": lambda i: f"P{11 + i:03d}",
    "numbers": lambda i: 1011 + i,
    # steps of 1 to 23
    "numbers with gaps": lambda i: 1011 + 12 * i + (7 * i) % 12,
    # the first digit is that of one of four sites
    "numbers by site": lambda i: 10_000 * (1 + i % 4) + i // 4,
}


def persons(
    rng,
    k=100,
    rows=(3, 5),
    names="words",
    share=0.3,
    class_share=1.0,
    d=6,
    in_order=False,
    is_light=True,
):
    """Some rows of each of k persons, whose class is drawn by chance.

    Rows of a person are correlated by `share` in all columns, and by `class_share` in
    what decides on the class: of 1 each person has one.
    """

    def draw_persons(first, k):
        sites = rng.normal(size=(4, d))
        centres = rng.normal(size=(k, d))
        if names == "numbers by site":
            at_site = sites[(first + np.arange(k)) % 4]
            centres = (centres + at_site / 2) / np.sqrt(1.25)
        return first, centres, rng.normal(size=k)

    def visits(persons, who):
        first, centres, propensity = persons
        y = correlated(propensity[who], class_share, rng) > 0
        frame = table(correlated(centres[who], share, rng), y)
        column = [NAMES[names](first + i) for i in who]
        if names == "words with a year":
            year = 2010 + frame.groupby(who).cumcount()
            column = [
                f"{name}-{y}" for name, y in zip(column, year, strict=True)
            ]
        return frame.assign(who=column)

    known = draw_persons(0, k)
    who = np.repeat(np.arange(k), rng.integers(rows[0], rows[1] + 1, k))
    frame = visits(known, who)

    def others(m):
        """Rows of further persons, four of each."""
        n_persons = -(-m // 4)
        new = draw_persons(k, n_persons)
        return visits(new, np.repeat(np.arange(n_persons), 4)[:m])

    return Process(
        frame if in_order else shuffled(frame, rng),
        lambda m: visits(known, rng.integers(k, size=m)),
        others=others,
        dependent="group column",
        column="who",
        is_light=is_light,
    )


def patients_at_sites(rng, sites=8, patients=12, rows=4, share=0.3, d=6):
    """Patients with numbers, at sites that make no difference."""

    def at_sites(frame):
        site = frame["who"] % sites
        return frame.assign(site=[f"site {s}" for s in site])

    k = sites * patients
    of_persons = persons(rng, k, (rows, rows), "numbers", share, d=d)
    return replace(
        of_persons,
        frame=at_sites(of_persons.frame),
        fresh=lambda m: at_sites(of_persons.fresh(m)),
        others=lambda m: at_sites(of_persons.others(m)),
    )


def pupils(rng, schools=24, classes=3, size=6, share=0.15, d=6):
    """Pupils with numbers, in classes with numbers, in schools with numbers.

    All pupils of a class have the same target, drawn by chance; schools and classes
    make pupils alike, each by `share` of the variance.
    """

    def draw_schools(first, k):
        of_school = np.repeat(np.arange(k), classes)
        columns = correlated_levels(rng.normal(size=(k, d)), of_school)
        target = correlated(rng.normal(size=k)[of_school], 0.5, rng)
        return first, of_school, columns, target

    def correlated_levels(schools, of_school):
        own = rng.normal(size=(len(of_school), d))
        return (schools[of_school] + own) / np.sqrt(2)

    def rows_of(drawn, in_class):
        first, of_school, columns, target = drawn
        X = correlated(columns[in_class], 2 * share, rng)
        return table(X, target[in_class] > 0).assign(
            school=101 + first + of_school[in_class],
            group=1001 + classes * first + in_class,
            pupil=rng.permutation(10 * len(in_class))[: len(in_class)],
        )

    known = draw_schools(0, schools)
    n_classes = schools * classes
    frame = rows_of(known, np.repeat(np.arange(n_classes), size))

    def others(m):
        in_class = np.arange(m) // size
        new = draw_schools(schools, -(-m // (size * classes)))
        return rows_of(new, in_class)

    return Process(
        shuffled(frame, rng),
        lambda m: rows_of(known, rng.integers(n_classes, size=m)),
        others=others,
        dependent="group column",
        column="school",
        is_light=True,
    )


def occupations(rng, k=8, n=400, share=0.3, d=6, keep=False, is_light=True):
    """Occupations differ in all columns and in how often each class occurs.

    Within one, the class follows from the first column.
    """
    words = "occupation", "new occupation"

    def draw_occupations(word, k):
        return word, rng.normal(size=(k, d)), rng.normal(size=k)

    def rows_of(drawn, which):
        word, centres, effects = drawn
        X = correlated(centres[which], share, rng)
        y = effects[which] + X[:, 0] + rng.logistic(size=len(X)) / 2 > 0
        names = [f"{word} {i:02d}" for i in which]
        return table(X, y).assign(occupation=names)

    known = draw_occupations(words[0], k)

    def others(m):
        new = draw_occupations(words[1], -(-m // 5))
        return rows_of(new, np.arange(m) // 5)

    def fresh(m):
        return rows_of(known, rng.integers(k, size=m))

    return Process(
        fresh(n),
        fresh,
        ["x0", "occupation"],
        others=others,
        dependent="group column",
        column="occupation",
        keep=["occupation"] if keep else [],
        is_light=is_light,
    )


# ---- sets with one row of each class


def couples(rng, k=80, names="numbers", share=0.9, d=4):
    """A bride and a groom of each couple, who are alike in all columns; which is which?"""

    def make(m, first=0):
        who = np.arange(m) // 2
        X = correlated(rng.normal(size=(-(-m // 2), d))[who], share, rng)
        frame = table(X, np.arange(m) % 2)
        if names:
            frame["couple"] = [NAMES[names](first + i) for i in who]
        return shuffled(frame, rng)

    return Process(
        make(2 * k),
        lambda m: make(m, k),
        dependent="group column",
        column="couple" if names else "",
        worse=True,
        is_light=True,
    )


def measures_at_places(rng, k=20, names="words", share=0.6, d=3):
    """Each of four measures at each place; the place makes the values alike, no measure does."""

    def make(m, first=0):
        place = np.arange(m) // 4
        X = correlated(rng.normal(size=(-(-m // 4), d))[place], share, rng)
        frame = table(X, np.arange(m) % 4)
        frame["place"] = [NAMES[names](first + i) for i in place]
        return shuffled(frame, rng)

    return Process(
        make(4 * k),
        lambda m: make(m, k),
        dependent="group column",
        column="place",
        worse=True,
        is_light=True,
    )


# ---- columns that measure


def _skewed(rng, m):
    return rng.negative_binomial(1.2, 0.08, m)


DOSES = np.array([0, 1, 2, 5, 10, 20, 30, 50, 80, 100, 150, 200, 300, 500])
# by name: values of m rows, and the effect of a value, of deviation about 1
QUANTITIES = {
    "age, linear": (
        lambda rng, m: rng.integers(18, 91, m),
        lambda q: (q - 54) / 21,
    ),
    "age, U-shaped": (
        lambda rng, m: rng.integers(18, 91, m),
        lambda q: ((q - 54) / 21) ** 2 - 1,
    ),
    "age, step at 18": (
        lambda rng, m: rng.integers(5, 41, m),
        lambda q: 2.0 * (q >= 18) - 1,
    ),
    "age, pension at 65": (
        lambda rng, m: rng.integers(20, 91, m),
        lambda q: 2.0 * (q >= 65) - 1,
    ),
    "year, trend": (
        lambda rng, m: rng.integers(1980, 2021, m),
        lambda q: (q - 2000) / 12,
    ),
    "rooms": (lambda rng, m: 1 + rng.poisson(4, m), lambda q: (q - 5) / 2),
    "dose": (lambda rng, m: rng.choice(DOSES, m), lambda q: np.log1p(q) - 3),
    "skewed count": (_skewed, lambda q: np.log1p(q) - 2),
    "hour of the day": (
        lambda rng, m: rng.integers(24, size=m),
        lambda q: 1.4 * np.sin(2 * np.pi * q / 24),
    ),
    "score in points": (
        lambda rng, m: rng.normal(62, 15, m).round().clip(0, 100),
        lambda q: (q - 62) / 15,
    ),
    "unrelated number": (
        lambda rng, m: rng.integers(1, 81, m),
        lambda q: 0.0 * q,
    ),
}


def quantity(rng, name, n=300, d=5, values=False):
    """Whole numbers that measure; target and two other columns depend on them."""
    draw_values, effect = QUANTITIES[name]

    def make(m):
        q = draw_values(rng, m)
        X = rng.normal(size=(m, d))
        X[:, 0] += 0.7 * effect(q)
        X[:, 1] -= 0.5 * effect(q)
        y = effect(q) + 0.7 * rng.normal(size=m)
        return table(X, y if values else y > 0).assign(quantity=q)

    is_relevant = name != "unrelated number"
    return independent(
        make,
        n,
        relevant=["quantity", "x0", "x1"] if is_relevant else [],
        quantities=["quantity"],
        is_light=True,
    )


def likert_scales(rng, n=300, items=6):
    """Answers from 1 to 7, all by one attitude, which tells of the class."""
    names = [f"item {j}" for j in range(items)]

    def make(m):
        attitude = rng.normal(size=m)
        answers = attitude[:, None] + rng.normal(size=(m, items))
        answers = (4 + 1.2 * answers).round().clip(1, 7).astype(int)
        frame = pd.DataFrame(answers, columns=names)
        y = attitude + rng.normal(size=m) > 0
        return frame.assign(y=np.where(y, "yes", "no"))

    return independent(make, n, relevant=names, quantities=names, is_light=True)


def product_codes(rng, n=400, k=60, words=True):
    """Codes of products that make no difference."""

    def make(m):
        codes = rng.integers(k, size=m)
        frame = table(rng.normal(size=(m, 5)), rng.random(m) < 0.5)
        frame["product"] = [f"A{i:02d}" for i in codes] if words else codes
        return frame

    return independent(make, n, quantities=["product"], is_light=True)


PROCESSES = {
    # persons
    "persons, 40 words": (persons, {"k": 40}),
    "persons, 120 words": (persons, {"k": 120, "is_light": False}),
    "persons, 400 words": (persons, {"k": 400}),
    "persons, words with a year": (persons, {"names": "words with a year"}),
    "persons, words, class varies": (persons, {"class_share": 0.5}),
    "persons, 40 numbers": (persons, {"k": 40, "names": "numbers"}),
    "persons, 120 numbers": (
        persons,
        {"k": 120, "names": "numbers", "is_light": False},
    ),
    "persons, 400 numbers": (persons, {"k": 400, "names": "numbers"}),
    "persons, numbers with gaps": (persons, {"names": "numbers with gaps"}),
    "persons, numbers by site": (persons, {"names": "numbers by site"}),
    "persons, numbers, class varies": (
        persons,
        {"names": "numbers", "class_share": 0.5},
    ),
    "persons, numbers in order": (
        persons,
        {"names": "numbers", "in_order": True},
    ),
    "persons, words, two rows": (persons, {"rows": (2, 2)}),
    "persons, numbers, two rows": (
        persons,
        {"rows": (2, 2), "names": "numbers"},
    ),
    "patients at sites": (patients_at_sites, {}),
    "pupils in schools": (pupils, {}),
    # values that may be fixed
    "occupations, 8": (occupations, {}),
    "occupations, 20": (occupations, {"k": 20, "is_light": False}),
    "occupations, 40": (occupations, {"k": 40, "n": 800}),
    "occupations, 20, kept": (occupations, {"k": 20, "keep": True}),
    # sets
    "couples, numbers": (couples, {}),
    "couples, words": (couples, {"names": "words"}),
    "couples, not named": (couples, {"names": None}),
    "measures at places, words": (measures_at_places, {}),
    "measures at places, numbers": (
        measures_at_places,
        {"k": 60, "names": "numbers"},
    ),
    # quantities
    **{name: (quantity, {"name": name}) for name in QUANTITIES},
    "values, age, U-shaped": (
        quantity,
        {"name": "age, U-shaped", "values": True},
    ),
    "values, year, trend": (quantity, {"name": "year, trend", "values": True}),
    "Likert scales": (likert_scales, {}),
    "product codes, words": (product_codes, {}),
    "product codes, numbers": (product_codes, {"words": False}),
}
