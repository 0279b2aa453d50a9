import { describe, expect, it } from 'vitest'
import { parseSuite } from '../../../src/core/testing/suites/parse-suite.ts'

const CASE = '[[cases]]\nname = "a"\n'
const EXPECT = 'expect = [{ status = "completed" }]\n'

/** The first problem as `line:column message → help`. */
function findProblem(text: string, file = '/skill/tests/x.test.toml'): string | undefined {
  const [problem] = parseSuite(file, text).problems
  if (!problem) return undefined
  const { start, message, help } = problem
  return `${start.line}:${start.column} ${message}${help === undefined ? '' : ` → ${help}`}`
}

describe('a file of cases', () => {
  it('is read with its cases, their actions and their places', () => {
    const { suite } = parseSuite(
      '/skill/tests/greet.test.toml',
      `[defaults]\ntags = ["fast"]\ntimeout = "2s"\n\n${CASE}tags = ["greeting"]\nargs = { name = "A" }\n${EXPECT}\n[[cases]]\nname = "b"\nprogram = ["scripts/x.sh", "a b"]\n${EXPECT}`,
    )
    expect(suite).toMatchObject({
      name: 'greet',
      skill: '/skill',
      cases: [
        {
          name: 'a',
          position: { line: 5, column: 1 },
          tags: ['fast', 'greeting'],
          timeoutMs: 2000,
          action: { kind: 'skill', args: { name: 'A' } },
        },
        { name: 'b', action: { kind: 'command', command: "scripts/x.sh 'a b'" } },
      ],
    })
  })

  it('has the same meaning in YAML', () => {
    const yaml =
      'cases:\n  - name: a\n    args: {answer: no}\n    expect:\n      - status: completed\n'
    const { suite } = parseSuite('/skill/tests/x.test.yaml', yaml)
    expect(suite?.cases[0]).toMatchObject({
      position: { line: 2, column: 5 },
      action: { kind: 'skill', args: { answer: 'no' } },
      expectations: [{ isNegated: false, position: { line: 5, column: 9 } }],
    })
  })
})

describe('a mistake in a file of cases has its position:', () => {
  it.each([
    ['a syntax error', '[[cases]\n', /^1:/],
    ['no cases', 'suite = "x"\n', /^1:1 The key "cases" is missing/],
    [
      'an unknown key',
      `sute = "x"\n${CASE}${EXPECT}`,
      /^1:1 Unknown key "sute" → Did you mean "suite"\?$/,
    ],
    [
      'an unknown key of a case',
      `${CASE}arg = 1\n${EXPECT}`,
      /^3:1 Unknown key "arg" → Did you mean "args"/,
    ],
    ['no expectations', CASE, /The key "expect" is missing/],
    [
      'an empty list of expectations',
      `${CASE}expect = []\n`,
      /^3:10 Expected at least one element/,
    ],
    ['an empty expectation', `${CASE}expect = [{}]\n`, /^3:11 An empty expectation checks nothing/],
    [
      'only "not"',
      `${CASE}expect = [{ not = true }]\n`,
      /^3:11 An empty expectation checks nothing/,
    ],
    [
      'an unknown expectation',
      `${CASE}expect = [{ stats = 1 }]\n`,
      /^3:13 Unknown expectation "stats"/,
    ],
    [
      'two expectations in one',
      `${CASE}expect = [{ status = "failed", exit_code = 1 }]\n`,
      /^3:32 Expected one key/,
    ],
    [
      'an empty condition',
      `${CASE}expect = [{ stdout = {} }]\n`,
      /^3:22 Expected at least one of equals/,
    ],
    [
      'a wrong status',
      `${CASE}expect = [{ status = "ok" }]\n`,
      /^3:22 Expected one of "completed"/,
    ],
    [
      'a wrong pattern',
      `${CASE}expect = [{ logs = { matches = "(" } }]\n`,
      /^3:32 Expected a regular expression/,
    ],
    ['a wrong path', `${CASE}expect = [{ result = { path = "a..b" } }]\n`, /^3:31 Expected a path/],
    ['a wrong duration', `${CASE}timeout = 5\n${EXPECT}`, /^3:11 Expected a duration/],
    [
      'a key of another kind',
      `${CASE}stdin = "x"\n${EXPECT}`,
      /^3:1 The key "stdin" has no effect here/,
    ],
    [
      'arguments beside a program',
      `${CASE}program = ["a"]\nargs = {}\n${EXPECT}`,
      /^4:1 The key "args" has no effect/,
    ],
    [
      'a name that is used twice',
      `${CASE}${EXPECT}${CASE}${EXPECT}`,
      /^5:8 Two cases have the name "a"/,
    ],
    [
      'a schema that is a number',
      `${CASE}expect = [{ result = { schema = 1 } }]\n`,
      /^3:33 Expected a JSON Schema or a path/,
    ],
    [
      'a schema with an unknown type',
      `${CASE}expect = [{ result = { schema = { type = "x" } } }]\n`,
      /^3:33 This JSON Schema cannot be used/,
    ],
    ['a seed that is a text', `${CASE}seed = "x"\n${EXPECT}`, /^3:8 Expected a whole number/],
    ['a wrong time', `${CASE}now = "noon"\n${EXPECT}`, /^3:7 Expected "real" or a time/],
    [
      'a file out of the workspace',
      `${CASE}files = { "../x" = "a" }\n${EXPECT}`,
      /^3:11 "..\/x" is not a path/,
    ],
    [
      'a reserved path',
      `${CASE}files = { ".skills-test/x" = "a" }\n${EXPECT}`,
      /^3:11 "\.skills-test\/x" is not/,
    ],
    [
      'a file that does not exist',
      `${CASE}files = { a = { from = "none" } }\n${EXPECT}`,
      /^3:24 The skill has no file "none"/,
    ],
    [
      'a blob out of the skill',
      `${CASE}blobs = { a = "/etc/passwd" }\n${EXPECT}`,
      /^3:15 Expected a path in the skill/,
    ],
    [
      'a fake with a path',
      `${CASE}fakes = { "a/b" = {} }\n${EXPECT}`,
      /^3:11 "a\/b" is not a name/,
    ],
    [
      'an unknown key of a fake',
      `${CASE}fakes = { git = { out = "" } }\n${EXPECT}`,
      /^3:19 Unknown key "out"/,
    ],
    [
      'an answer without arguments',
      `${CASE}fakes = { git = { answers = [{}] } }\n${EXPECT}`,
      /^3:30 The key "args" is missing/,
    ],
    [
      'an empty secret',
      `${CASE}secrets = { A = "" }\n${EXPECT}`,
      /^3:17 Expected a text that is not empty/,
    ],
    ['rows that are no list', `${CASE}rows = 1\n${EXPECT}`, /^3:8 Expected a list of rows/],
    ['an empty row', `${CASE}rows = [{}]\n${EXPECT}`, /^3:9 Expected a table of values/],
    [
      'a value without a row',
      `[[cases]]\nname = "{{b}}"\nrows = [{ a = "{{b}}" }]\n${EXPECT}`,
      /^2:8 No row has a value "b"/,
    ],
    [
      'a row value that is not used',
      `${CASE}rows = [{ a = 1 }]\n${EXPECT}`,
      /^3:11 No text of the case uses "a"/,
    ],
    [
      'two snapshots with one name',
      `[[cases]]\nname = "a b"\nexpect = [{ snapshot = "logs" }]\n[[cases]]\nname = "A-b"\nexpect = [{ snapshot = "logs" }]\n`,
      /^6:11 Two expectations have the snapshot/,
    ],
    [
      'an unknown part of a snapshot',
      `${CASE}expect = [{ snapshot = "all" }]\n`,
      /^3:24 Expected one of "result"/,
    ],
    [
      'a wrong normaliser',
      `${CASE}expect = [{ snapshot = { of = "logs", replace = "x" } }]\n`,
      /^3:\d+ Expected .*"ids"/,
    ],
    ['a program that is a text', `${CASE}program = "x"\n${EXPECT}`, /^3:11 Expected a list/],
    [
      'an unknown language',
      `${CASE}code = "x"\nlanguage = "perl"\n${EXPECT}`,
      /^4:12 Expected one of "python"/,
    ],
    ['a blank name', `[[cases]]\nname = " "\n${EXPECT}`, /^2:8 Expected a text that is not empty/],
  ])('%s', (_, text, message) => {
    expect(findProblem(text)).toMatch(message)
  })

  it.each([
    ['a repeated key', 'cases:\n  - name: a\n    name: b\n', /^3:5 Map keys must be unique/],
    ['a list', '- a\n', /^1:1 Expected a mapping/],
    [
      'an unknown key',
      'cases:\n  - name: a\n    wiht: {}\n    expect: [{status: failed}]\n',
      /^3:5 Unknown key "wiht"/,
    ],
    ['too many aliases', `a: &a [1]\nb: [${'*a, '.repeat(200)}]\n`, /alias/i],
  ])('in YAML: %s', (_, text, message) => {
    expect(findProblem(text, '/skill/tests/x.test.yaml')).toMatch(message)
  })
})
