"""English sentences as token ids of BERT's uncased vocabulary (WordPiece, greedy longest match first)."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks import zoo

LENGTH = 16
"""Tokens of every sample; shorter sentences are padded and masked."""

SENTENCES = tuple(
    line.strip()
    for line in """
    The committee will meet again on Thursday to discuss next year's budget.
    How do I reset the password of my account?
    Heavy rain flooded several streets near the old harbour last night.
    She plays the violin in a small orchestra.
    The new bakery on the corner sells excellent rye bread.
    A cat is sleeping on the warm roof of a parked car.
    Interest rates were left unchanged for the third month in a row.
    The patient was given antibiotics and sent home after two days.
    Please find attached the signed copy of our contract.
    He scored twice in the second half and was named player of the match.
    This function returns the index of the first element that matches.
    Astronomers found water vapour in the atmosphere of a distant planet.
    I would like to book a table for four at seven o'clock.
    The train to Gothenburg leaves from platform nine.
    Quantum computers are not faster at everything.
    My grandmother taught me how to knit when I was six.
    The battery lasts about ten hours under normal use.
    What is the capital of New Zealand?
    The defendant was found not guilty on all counts.
    Add the onions and fry them gently until they are golden.
    Our flight was delayed because of fog in Amsterdam.
    The algorithm sorts the list in place and needs no extra memory.
    Nobody expected the small team from the north to win the cup.
    The museum is closed on Mondays and public holidays.
    Two men are riding horses along the beach at sunset.
    The company plans to hire three hundred engineers this year.
    It was the best film I have seen in a long time.
    The storm is expected to reach the coast by Friday evening.
    Children under five travel free of charge.
    The recipe calls for two cups of flour and a pinch of salt.
    Scientists warn that the glacier is melting faster than predicted.
    Could you send me the invoice for March, please?
    The bridge was built in 1932 and restored in 1998.
    A woman in a red coat is waiting for the bus.
    The vaccine was approved after trials with forty thousand volunteers.
    He never answers his phone after nine in the evening.
    The dog barked all night and kept the neighbours awake.
    Prices of used cars have fallen by twelve percent since January.
    Click the button below to confirm your email address.
    The novel tells the story of two brothers during the war.
    An earthquake of magnitude 6.1 struck the island early on Sunday.
    I forgot my umbrella at the office.
    The parliament voted against the proposal by a narrow margin.
    Use a sharp knife and cut the fish along the backbone.
    The screen is bright but the speakers are disappointing.
    Bees communicate the direction of food by dancing.
    She has been learning Japanese for almost three years.
    The parcel was left with your neighbour at number twelve.
    Gradient descent converges slowly when the problem is badly scaled.
    The lake freezes over every winter, and people skate on it.
    The orchestra opened the evening with a symphony by Sibelius.
    Turn left at the traffic lights and then take the second right.
    The mayor promised cleaner air and more bicycle lanes.
    Their first child was born in a taxi on the way to hospital.
    The library lends not only books but also tools and games.
    Investors sold shares after the surprise announcement.
    """.strip().splitlines()
)


@cache
def vocabulary() -> dict[str, int]:
    """Token to id. Raises zoo.Unavailable."""
    with zipfile.ZipFile(zoo.path("minilm_vocabulary")) as model, model.open("tokenizer.json") as file:
        words: dict[str, int] = json.load(file)["model"]["vocab"]
    return words


def token_ids(sentence: str) -> list[int]:
    """[CLS] pieces [SEP]."""
    words = vocabulary()
    ids = [words["[CLS]"]]
    for word in re.findall(r"\w+|[^\w\s]", sentence.lower()):
        ids += [words[piece] for piece in pieces(word, words)]
    return [*ids[: LENGTH - 1], words["[SEP]"]]


def pieces(word: str, words: dict[str, int]) -> list[str]:
    """A word as the longest pieces that the vocabulary has, or [UNK]."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in words:
                found.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return found


def samples() -> Iterator[dict[str, NDArray[np.int64]]]:
    """Every sentence as the model's two inputs, (1, LENGTH)."""
    for sentence in SENTENCES:
        ids = token_ids(sentence)
        padded = np.zeros((2, 1, LENGTH), np.int64)
        padded[0, 0, : len(ids)], padded[1, 0, : len(ids)] = ids, 1
        yield {"input_ids": padded[0], "attention_mask": padded[1]}
