"""Presets with their parameters: one value that says how to match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from ._resources import seed_of

__all__ = [
    "Best",
    "Fast",
    "Learner",
    "Paper",
    "PointsModel",
    "Preset",
    "Regime",
    "Terms",
    "drawn",
    "opened",
]

#: What stands for the values that options take.
Preset = Literal["best", "fast", "paper"]
Regime = Literal["auto", "dense", "sparse"]
PointsModel = Literal["auto", "distances", "similarity", "affine", "projective", "views", "smooth"]
Terms = Literal["adjacency", "heat", "heat+wks", "heat+ap", "heat+b", "heat+b+ap"]
Learner = Literal["projected", "exact"]


@dataclass(frozen=True, kw_only=True)
class Best:
    """The most likely matching, searched for until nothing more is gained.

    ``preset=am.Best(…)`` is ``preset="best"`` with parameters. A field that is ``None`` is left as it is by
    default. Each is also an option of :func:`match`; what is said in both places has to be the same.

    Attributes
    ----------
    allow_unmatched
        Let nodes stay alone whom the evidence gives no partner.
    repair_anchors
        Demote anchors that disagree with the rest of the evidence to soft ones, and match again.
    regime : {"auto", "dense", "sparse"}
        Keep all pairs of nodes, or lists of candidates; by default it goes by size and density.
    points_model : {"auto", "distances", "similarity", "affine", "projective", "views", "smooth"}
        How two sets of :func:`points` lie to each other; by default the evidence chooses, and
        :attr:`Matching.models` says what it chose.
    top
        How many candidates of each node :attr:`Matching.alternatives` keeps; 4 by default.
    solver
        One of :func:`solvers` in the place of the preset's own search.
    solver_options
        Options of ``solver``, which :func:`solvers` lists.
    seed
        The seed of everything random: an integer, 0 by default, or a generator of NumPy to draw one from.

    Examples
    --------
    >>> import anchormatch as am
    >>> made = am.generate.synthetic(12, target_outliers=2, seed=3)
    >>> how = am.Best(allow_unmatched=True, seed=7)
    >>> m = am.match(made.source, made.target, made.anchors(2), preset=how)
    >>> m.parameters["seed"], m.accuracy(made.truth)
    ('7', 1.0)
    >>> am.match(made.source, made.target, preset=how, seed=8)
    Traceback (most recent call last):
    ...
    ValueError: seed: found 8 beside preset=am.Best(seed=7), expected it in one place, or the same in both
    """

    name: ClassVar[Preset] = "best"

    allow_unmatched: bool | None = None
    repair_anchors: bool | None = None
    regime: Regime | None = None
    points_model: PointsModel | None = None
    top: int | None = None
    solver: str | None = None
    solver_options: Mapping[str, Any] | None = None
    seed: Any = None


@dataclass(frozen=True, kw_only=True)
class Fast(Best):
    """The same evidence as :class:`Best`, with one relaxation and a short search.

    ``preset=am.Fast(…)`` is ``preset="fast"`` with parameters, which are those of :class:`Best`.

    Examples
    --------
    >>> import anchormatch as am
    >>> made = am.generate.synthetic(12, noise=0.05, seed=3)
    >>> m = am.match(made.source, made.target, made.anchors(2), preset=am.Fast(repair_anchors=True))
    >>> m.accuracy(made.truth)
    1.0
    """

    name: ClassVar[Preset] = "fast"


@dataclass(frozen=True, kw_only=True)
class Paper:
    """Hu, Rustamov & Guibas (CVPR 2013) step by step.

    ``preset=am.Paper(…)`` is ``preset="paper"`` with parameters. A field that is ``None`` is left as it is
    by default. Each is also an option of :func:`match`; what is said in both places has to be the same.

    Attributes
    ----------
    terms : {"adjacency", "heat", "heat+wks", "heat+ap", "heat+b", "heat+b+ap"}
        The terms of the objective; all that the anchors allow by default.
    tau
        Diffusion time, in units of 1/mean eigenvalue of each graph; 1 by default.
    width
        Width of the affinity exp(−d²/s), s in means of d²; 0.15 by default.
    eigenvectors
        Eigenvectors that the learned proximity compares; 8 by default.
    c_b, c_ap
        Weights of the learned proximity and of the heat to the anchors; 8 and 3 by default.
    learner : {"projected", "exact"}
        How the proximity is kept positive semidefinite; projected by default.
    learner_c
        C of the learner, the price of a violated margin; 100 by default.
    solver
        One of :func:`solvers`; ``"rrwm"`` by default.
    solver_options
        Options of ``solver``, which :func:`solvers` lists.
    seed
        The seed of everything random: an integer, 0 by default, or a generator of NumPy to draw one from.

    Examples
    --------
    >>> import anchormatch as am
    >>> made = am.generate.synthetic(12, noise=0.05, seed=3)
    >>> how = am.Paper(terms="heat", tau=0.5)
    >>> m = am.match(made.source, made.target, made.anchors(2), preset=how)
    >>> m.parameters["terms"], m.parameters["tau"]
    ('heat', '0.5')
    """

    name: ClassVar[Preset] = "paper"

    terms: Terms | None = None
    tau: float | None = None
    width: float | None = None
    eigenvectors: int | None = None
    c_b: float | None = None
    c_ap: float | None = None
    learner: Learner | None = None
    learner_c: float | None = None
    solver: str | None = None
    solver_options: Mapping[str, Any] | None = None
    seed: Any = None


def opened(preset: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The name of a preset, and what it and the options of a call say together; ``None`` says nothing."""
    if not isinstance(preset, (Best, Paper)):
        return preset, dict(options)
    together = dict(options)
    for name, value in _said(preset).items():
        other = options.get(name)
        if other is not None and other is not value and other != value:
            raise ValueError(
                f"{name}: found {other!r} beside preset=am.{type(preset).__name__}({name}={value!r}), "
                "expected it in one place, or the same in both"
            )
        together[name] = value
    return preset.name, together


def drawn(preset: Any) -> Any:
    """The preset with a seed that is drawn, where it has a generator of seeds."""
    if isinstance(preset, (Best, Paper)) and isinstance(
        preset.seed, (np.random.Generator, np.random.RandomState)
    ):
        return replace(preset, seed=seed_of(preset.seed))
    return preset


def _said(preset: Best | Paper) -> dict[str, Any]:
    given = {field.name: getattr(preset, field.name) for field in fields(preset)}
    return {name: value for name, value in given.items() if value is not None}
