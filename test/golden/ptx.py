#!/usr/bin/env python3
"""PTX against machine code: of every probe kernel, `explain` of ptx/smNN/ must state what `explain` of cubin/smNN/ does:
outputs (where, when, exactly, as real numbers), the classes of its values but `spilled`, the ids of its patterns but
`unrolled-loop`. What is known to differ stands in ptx-differs.txt, one line a difference, and must differ.

  ptx.py --command build/sassprobe [--only GLOB] [--verbose] [--rebase]
"""
import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KNOWN = os.path.join(ROOT, 'test', 'golden', 'ptx-differs.txt')
ARCHES = ['sm75', 'sm80', 'sm86', 'sm89', 'sm90', 'sm100', 'sm120']


def explain(command, path):
    run = subprocess.run([command, 'explain', '--format', 'json', path], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f'{path}: exit {run.returncode}: {run.stderr}')
    return {k['name']: k for k in json.loads(run.stdout)['kernels']}


# ---- expressions as trees, so that only what is computed counts: not which values have names, nor which way round a
# choice or a sum is written.

TOKEN = re.compile(r'\s*(0x[0-9a-f]+|\d+\.?\d*(?:e[+-]?\d+)?[fuUlL]*|[A-Za-z_$][\w.$]*|&&|\|\||[<>=!]=|<<|>>|.)')
BINARY = {'||': 1, '&&': 2, '|': 3, '^': 4, '&': 5, '==': 6, '!=': 6, '<': 7, '>': 7, '<=': 7, '>=': 7, '<<': 8, '>>': 8,
          '+': 9, '-': 9, '*': 10, '/': 10, '%': 10}
COMMUTE = {'||', '&&', '|', '^', '&', '==', '!=', '+', '*'}
TYPES = {'int', 'long', 'unsigned', 'short', 'char', 'float', 'double', 'half', 'signed', 'size_t', 'bool'}


class Reader:
    def __init__(self, text, names):
        self.tokens, self.names = TOKEN.findall(text.strip()) + [''], names

    def take(self):
        return self.tokens.pop(0)

    def choice(self):
        c = self.binary(0)
        if self.tokens[0] != '?':
            return c
        self.take()
        a = self.choice()
        assert self.take() == ':'
        b = self.choice()
        if c[0] == '!':
            c, a, b = c[1], b, a
        return ('?', c, a, b)

    def binary(self, least):
        left = self.unary()
        while BINARY.get(self.tokens[0], -1) > least:
            op = self.take()
            right = self.binary(BINARY[op])
            left = (op, *sorted((left, right), key=repr)) if op in COMMUTE else (op, left, right)
        return left

    def unary(self):
        t = self.take()
        if t in ('!', '-', '~', '&', '*'):
            return (t, self.unary())
        if t == '(':
            if self.tokens[0] in TYPES:
                cast = []
                while self.tokens[0] != ')':
                    cast.append(self.take())
                self.take()
                return ('cast', ' '.join(cast), self.unary())
            e = self.choice()
            assert self.take() == ')', self.tokens
        else:
            e = self.names.get(t, ('name', t))
        while self.tokens[0] in ('[', '('):
            close = ']' if self.take() == '[' else ')'
            items = [close, e]
            while self.tokens[0] != close:
                items.append(self.choice())
                if self.tokens[0] == ',':
                    self.take()
            self.take()
            e = tuple(items)
        return e


def tree(text):
    """The tree of a text; one that does not read as C (it was cut short) is compared as it stands."""
    try:
        return None if text is None else read_tree(text)
    except (AssertionError, IndexError):
        return text


def read_tree(text):
    """`v3 = a * b; v3 + c` as one tree; a value that stands on its own right side is one carried round."""
    names, parts = {}, text.split('; ')
    for i, part in enumerate(parts[:-1]):
        name, _, value = part.partition(' = ')
        read = Reader(value, names).choice()
        if re.search(r'\b' + re.escape(name) + r'\b', value):
            read = ('carried', read)
        names[name] = read
    result = Reader(parts[-1], names).choice()
    numbers = {}

    def number(t):
        if isinstance(t, tuple):
            return tuple(number(x) for x in t)
        return numbers.setdefault(t, f'v#{len(numbers)}') if isinstance(t, str) and re.fullmatch(r'v\d+(_\w+)?', t) else t
    return repr(number(result))


def outputs(kernel):
    return sorted(repr([tree(o['address']), tree(o['runs_when']), tree(o['exact']), tree(o['real'])])
                  for o in kernel['outputs'])


def classes(kernel):
    return sorted({v['class'] for v in kernel['values']} - {'spilled'})


def patterns(kernel):
    return sorted({p['id'] for p in kernel['patterns']} - {'unrolled-loop', 'spill'})


def apart(a, b):
    """What only one side says: -machine code +PTX."""
    return ' '.join([f'-{x}' for x in a if x not in b] + [f'+{x}' for x in b if x not in a]) or 'the same, not as often'


def differences(sass, ptx):
    for subject, of in (('outputs', outputs), ('classes', classes), ('patterns', patterns)):
        a, b = of(sass), of(ptx)
        if a != b and subject == 'outputs':
            yield subject, f'{len([x for x in a if x not in b])} of {len(a)} differ'
        elif a != b:
            yield subject, apart(a, b)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--command', required=True)
    p.add_argument('--only', default='*')
    p.add_argument('--verbose', action='store_true')
    p.add_argument('--rebase', action='store_true', help='write what differs into the list; read the difference')
    args = p.parse_args()
    found, same = [], 0
    for arch in ARCHES:
        top = os.path.join(ROOT, 'ptx', arch)
        for folder, _, files in sorted(os.walk(top)):
            for name in sorted(files):
                path = os.path.join(folder, name)
                member = os.path.relpath(path, os.path.join(ROOT, 'ptx'))
                if not name.endswith('.ptx') or not fnmatch.fnmatch(member, args.only):
                    continue
                sass = explain(args.command, os.path.join(ROOT, 'cubin', member[:-4] + '.cubin'))
                ptx = explain(args.command, path)
                for kernel in sorted(set(sass) | set(ptx)):
                    if kernel not in sass or kernel not in ptx:
                        found.append(f'{member} {kernel} missing')
                        continue
                    here = list(differences(sass[kernel], ptx[kernel]))
                    same += 3 - len(here)
                    for subject, what in here:
                        found.append(f'{member} {kernel} {subject}: {what}')
    known = []
    if os.path.exists(KNOWN):
        known = [l for l in open(KNOWN).read().splitlines() if l and not l.startswith('#')]
    known = [l for l in known if fnmatch.fnmatch(l.split(' ')[0], args.only)]
    if args.rebase:
        head = [l for l in open(KNOWN).read().splitlines() if l.startswith('#')] if os.path.exists(KNOWN) else []
        with open(KNOWN, 'w') as f:
            f.write('\n'.join(head + found) + '\n')
        known = found
    bad = 0
    for line in found:
        if line not in known:
            print('differs:', line)
            bad += 1
        elif args.verbose:
            print('known:', line)
    for line in known:
        if line not in found:
            print('no longer differs:', line)
            bad += 1
    print(f'{same} statements the same, {len(found)} differ ({len(found) - bad if bad <= len(found) else 0} known), {bad} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
