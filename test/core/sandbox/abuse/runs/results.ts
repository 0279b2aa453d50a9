import { expect } from 'vitest'
import type { CaseTitle, RunCase } from '../case.ts'
import { expectCompleted, expectFailed, hasNoLoneSurrogate } from './expect.ts'
import { wrapMain } from './forge.ts'

type Rest = Pick<RunCase, 'holds' | 'control'>

function result([id, says]: CaseTitle, code: string, rest: Rest): RunCase {
  return { id, says, needs: 'channel', run: { code: wrapMain(code) }, ...rest }
}

/** Values that Python's json module writes as invalid JSON or refuses with an unclear message. */
const NO_JSON: readonly (readonly [name: string, value: string])[] = [
  ['nan', 'float("nan")'],
  ['infinity', '{"a": [float("-inf")]}'],
  ['bytes', 'b"x"'],
  ['set', '{1}'],
  ['object', 'object()'],
  ['generator', '(n for n in range(3))'],
  ['class', 'int'],
  ['function', 'print'],
  ['complex', '1j'],
  ['date', '__import__("datetime").date(2020, 1, 1)'],
  ['decimal', '__import__("decimal").Decimal(1)'],
  ['key', '{1: 2}'],
  ['key-none', '{None: 2}'],
  ['integer', '2 ** 60'],
  ['digits', '10 ** 4000'],
  ['exception', 'ValueError("x")'],
  ['module', 'os'],
  ['view', '{}.keys()'],
]

const TYPED = (report: Parameters<RunCase['holds']>[0]) => {
  expectFailed('SerializationError')(report)
  expect(report.result?.error?.hint).toBeTruthy()
}

/** Objects that misreport their type or content. */
const LIARS: readonly (readonly [name: string, code: string])[] = [
  ['class', 'class V:\n    @property\n    def __class__(self): return dict\nreturn V()'],
  ['items', 'class V(dict):\n    def items(self): raise KeyError("x")\nreturn V(a=1)'],
  [
    'length',
    'class V(list):\n    def __len__(self): return 10 ** 9\n    def __iter__(self): return iter([float("nan")])\nreturn V([1])',
  ],
  [
    'text',
    'class V(str):\n    def __str__(self): raise ValueError("x")\n    def __getitem__(self, key): raise ValueError("y")\nreturn {V("summary"): V("s")}',
  ],
  [
    'integer',
    'class V(int):\n    def __abs__(self): return 1\n    def __gt__(self, other): return False\nreturn V(2 ** 80)',
  ],
  [
    'float',
    'class V(float):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\nreturn V("inf")',
  ],
  ['await', 'class V:\n    def __await__(self): return iter([float("nan")])\nreturn V()'],
]

export const RESULTS: readonly RunCase[] = [
  ...NO_JSON.map(([name, value]) =>
    result([`C13.${name}`, `cannot return ${name} for JSON`], `return ${value}`, {
      holds: TYPED,
      control: { run: { code: wrapMain(`return repr(${value})[:50]`) }, works: expectCompleted() },
    }),
  ),
  ...LIARS.map(([name, code]) =>
    result([`C13.liar-${name}`, `cannot return a value that misreports its ${name}`], code, {
      holds: ({ result: outcome }) => {
        // Accepts the code's own value if it is valid JSON, and never an invalid one.
        expect(['completed', 'failed']).toContain(outcome?.status)
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
      },
      control: { none: 'a class may misreport itself by definition' },
    }),
  ),
  result(
    ['C13.cycle', 'cannot return a value that contains itself'],
    'a = {}; a["a"] = [a]\nreturn a',
    {
      holds: TYPED,
      control: {
        run: { code: wrapMain('a = {}; a["a"] = [1]\nreturn a') },
        works: expectCompleted({ a: [1] }),
      },
    },
  ),
  result(
    ['C8.depth', 'cannot return a value of unlimited depth'],
    'v = []\nfor _ in range(100_000): v = [v]\nreturn v',
    {
      holds: TYPED,
      control: {
        run: { code: wrapMain('v = []\nfor _ in range(60): v = [v]\nreturn v') },
        works: expectCompleted(),
      },
    },
  ),
  result(
    ['C8.lists', 'cannot return dictionaries of unlimited depth'],
    'v = {}\nfor _ in range(3000): v = {"v": v}\nreturn v',
    {
      holds: TYPED,
      control: {
        run: { code: wrapMain('v = {}\nfor _ in range(60): v = {"v": v}\nreturn v') },
        works: expectCompleted(),
      },
    },
  ),
  result(['C7.large', 'cannot return 100 MB'], 'return "x" * 100_000_000', {
    holds: TYPED,
    control: { run: { code: wrapMain('return "x" * 4_000_000') }, works: expectCompleted() },
  }),
  result(
    ['C7.keys', 'cannot return a quarter of a million keys'],
    'return {str(n) * 7: n for n in range(250_000)}',
    {
      holds: TYPED,
      control: {
        run: { code: wrapMain('return {str(n): n for n in range(10_000)}') },
        works: expectCompleted(),
      },
    },
  ),
  result(
    ['C11.surrogate', 'returns unpaired surrogates without breaking anything'],
    'return ["\\ud800", {"\\udfff": "x"}]',
    {
      holds: ({ result: outcome }) => {
        expect(outcome?.status).toBe('completed')
        expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome)
      },
      control: {
        bare: 'try: print("\\ud800".encode())\nexcept UnicodeEncodeError: print("breaks")',
        prints: 'breaks',
      },
    },
  ),
  result(
    ['C13.proto', "reaches no prototype of the host's objects"],
    'return json.loads(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')',
    {
      holds: (report) => {
        expect(report.result?.status).toBe('completed')
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
        expect(JSON.stringify(report.result?.output)).toContain('"__proto__"')
      },
      control: {
        host: () => {
          const target: Record<string, unknown> = {}
          target['__proto__'] = { polluted: 1 }
          expect(target['polluted']).toBe(1)
        },
      },
    },
  ),
  result(
    ['C9.message', 'cannot report an error of unlimited length'],
    'raise ValueError("x" * 50_000_000)',
    {
      holds: (report) => {
        expectFailed('ValueError')(report)
        expect(report.result?.error?.message.length).toBeLessThan(10_000)
        expect([...(report.result?.summary ?? '')].length).toBeLessThanOrEqual(500)
      },
      control: {
        bare: 'try: raise ValueError("x" * 50_000_000)\nexcept ValueError as error: print(len(str(error)))',
        prints: '50000000',
      },
    },
  ),
  result(
    ['C9.name', 'cannot report an error type of unlimited length'],
    'raise type("E" * 100_000, (Exception,), {})("x")',
    {
      holds: (report) => {
        expectFailed()(report)
        expect(report.result?.error?.type.length).toBeLessThanOrEqual(200)
      },
      control: {
        bare: 'print(len(type("E" * 100_000, (Exception,), {}).__name__))',
        prints: '100000',
      },
    },
  ),
  result(
    ['C9.trace', 'cannot report a traceback of unlimited length'],
    'def deeper(n):\n    if n: deeper(n - 1)\n    raise ValueError("x" * 4000)\ntry: deeper(200)\nexcept ValueError as error:\n    for _ in range(200):\n        try: raise KeyError("y" * 4000) from error\n        except KeyError as e: error = e\n    raise error',
    {
      holds: (report) => {
        expectFailed('KeyError')(report)
        expect(report.result?.error?.traceback?.length ?? 0).toBeLessThan(40_000)
      },
      control: { none: 'exceptions can be chained by definition' },
    },
  ),
  result(
    ['C9.raises', 'fails by an error that cannot be formatted'],
    'class E(Exception):\n    def __str__(self): raise RuntimeError("again")\n    __repr__ = __str__\nraise E()',
    {
      holds: expectFailed('E'),
      control: {
        bare: 'class E(Exception):\n    def __str__(self): raise RuntimeError\ntry: str(E())\nexcept RuntimeError: print("raises")',
        prints: 'raises',
      },
    },
  ),
  result(
    ['C9.class', 'fails by an error whose class has no name'],
    'class M(type):\n    @property\n    def __name__(self): raise RuntimeError("no name")\nclass E(Exception, metaclass=M): pass\nraise E()',
    {
      holds: expectFailed(),
      control: { none: 'a class may raise for its name by definition' },
    },
  ),
  result(
    ['C9.exit', 'fails by an exit status that cannot be formatted'],
    'class C:\n    def __str__(self): os._exit(0)\nraise SystemExit(C())',
    {
      holds: expectFailed('Exited'),
      control: {
        bare: 'import os\nclass C:\n    def __str__(self): print("left", flush=True); os._exit(0)\nstr(C())',
        prints: 'left',
      },
    },
  ),
  result(
    ['C15.summary', 'has a summary of at most 500 characters'],
    'return {"summary": "\\U0001f600" * 5000}',
    {
      holds: (report) => {
        expect([...(report.result?.summary ?? '')].length).toBeLessThanOrEqual(500)
        expect(hasNoLoneSurrogate(report.result?.summary)).toBe(true)
      },
      control: {
        host: () => expect(hasNoLoneSurrogate('\u{1f600}'.repeat(300).slice(0, 499))).toBe(false),
      },
    },
  ),
]
