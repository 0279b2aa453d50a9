import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEvals } from '../../src/evals/cases/find-evals.ts'
import { createFolder, type Tree } from '../helpers/skills.ts'

function read(tree: Tree) {
  return readEvals({ folder: createFolder(tree), names: ['greet'] })
}

const PROMPT = 'Greet Ada'
const REGEX = '---\ntype: regex\npattern: Ada\n---\n'

/** The mistakes of a file as `line:column message`. */
function listMistakes(tree: Tree): string[] {
  return read(tree).problems.map(({ start, message }) => `${start.line}:${start.column} ${message}`)
}

describe('the files of evals', () => {
  it('both dialects of evals.json give the same cases', () => {
    const write = (key: string) => ({
      'evals/evals.json': JSON.stringify({
        skill_name: 'greet',
        evals: [
          {
            id: 1,
            prompt: PROMPT,
            expected_output: 'x',
            files: ['evals/a.csv'],
            [key]: ['It names Ada'],
          },
        ],
      }),
      'evals/a.csv': 'a',
    })
    const [first] = read(write('assertions')).cases
    const [second] = read(write('expectations')).cases
    expect(first?.graders).toEqual(second?.graders)
    expect(first?.graders).toMatchObject([{ kind: 'llm', criteria: 'It names Ada' }])
    expect(first?.files).toHaveLength(1)
  })

  it('the description of a good result is judged if there is no statement', () => {
    const json = JSON.stringify({
      evals: [{ id: 'a', prompt: PROMPT, expected_output: 'A greeting' }],
    })
    expect(read({ 'evals/evals.json': json }).cases[0]?.graders).toMatchObject([
      { criteria: 'A greeting' },
    ])
  })

  it('a list of queries is read as trigger evals', () => {
    const json = '[{ "query": "hi", "should_trigger": true }]'
    expect(read({ 'evals/triggers.json': json }).queries).toMatchObject([
      { query: 'hi', shouldTrigger: true },
    ])
  })

  it('a case of the plugin layout has its settings and every kind of grader', () => {
    const { cases, problems, unmapped } = read({
      'evals/one/prompt.md': `---\nmax_turns: 3\nruns: 5\nallowed_tools: [Read, Bash]\nenv: { EVAL_A: b }\n---\n${PROMPT}\n`,
      'evals/one/case.yaml': 'schema_version: "1.1"\ncontext:\n  scaffold_script: setup.sh\n',
      'evals/one/setup.sh': 'echo hi',
      'evals/one/reference.jsonl': '{}',
      'evals/one/graders/a.md': REGEX,
      'evals/one/graders/b.md': '---\ntype: tool_used\ntool: Skill\nmin: 0\nmax: 0\n---\n',
      'evals/one/graders/c.md':
        '---\ntype: tool_order\nbefore: Read\nafter: { tool: Bash, input_match: x }\n---\n',
      'evals/one/graders/d.md': '---\ntype: file_exists\npath: out/a.txt\nexists: false\n---\n',
      'evals/one/graders/e.md': '---\ntype: json_schema\nschema: { type: object }\n---\n',
      'evals/one/graders/f.md': '---\ntype: llm\nweight: 2\nfocus: files\n---\nPASS if good.\n',
      'evals/one/graders/g.md': '---\ntype: baseline\nbaseline_file: reference.jsonl\n---\n',
      'evals/one/graders/h.md': '---\ntype: program\nprogram: [check.sh]\n---\n',
      'evals/one/graders/check.sh': '#!/bin/sh\n',
    })
    expect(problems).toEqual([])
    expect(unmapped).toEqual([])
    expect(cases).toMatchObject([
      {
        id: 'one',
        maxTurns: 3,
        runs: 5,
        env: { EVAL_A: 'b' },
        scaffold: 'echo hi',
        prompt: PROMPT,
      },
    ])
    expect(cases[0]?.graders.map(({ kind }) => kind)).toEqual(
      'regex tool_used tool_order file_exists json_schema llm baseline program'.split(' '),
    )
    expect(cases[0]?.tools).toContain('workspace_exec')
    expect(cases[0]?.tools).not.toContain('workspace_write')
  })

  it('parts without an equivalent are listed, and a case that would mean something else does not run', () => {
    const { cases, unmapped } = read({
      'evals/one/prompt.md': PROMPT,
      'evals/one/mocks/server/tool.md': 'x',
      'evals/one/graders/a.md': REGEX,
      'evals/one/graders/b.md': '---\ntype: tool_used\ntool: WebFetch\n---\n',
      'evals/two/prompt.md': PROMPT,
      'evals/two/case.yaml': 'context:\n  history_file: earlier.jsonl\n',
      'evals/two/graders/a.md': REGEX,
    })
    expect(cases.map(({ id }) => id)).toEqual(['one'])
    expect(unmapped.map(({ message }) => message)).toEqual([
      'Mocks of MCP servers have no equivalent; the case runs without them',
      'The tool "WebFetch" has no equivalent; its grader is left out',
      '"history_file" has no equivalent; the case does not run',
    ])
  })
})

describe('mistakes have their positions', () => {
  const json = (text: string) => ({ 'evals/evals.json': text })
  const one = (more: string) => json(`{ "evals": [\n { "id": 1, "prompt": "a", ${more} }] }`)
  const grader = (text: string) => ({
    'evals/one/prompt.md': PROMPT,
    'evals/one/graders/a.md': `---\n${text}\n---\n`,
  })
  it.each<[string, Tree, string]>([
    ['an unknown key', one('"assertions": ["x"], "assertion": []'), '2:49 Unknown key "assertion"'],
    [
      'both dialects',
      one('"assertions": ["x"], "expectations": ["y"]'),
      '2:49 The case has assertions and expectations',
    ],
    ['no statement', one('"files": []'), '2:2 The case checks nothing'],
    ['a repeated key', one('"id": 2'), '2:28 The key "id" is written twice'],
    [
      'a trailing comma',
      json('{ "evals": [], }'),
      '1:16 The file is not valid JSON (PropertyNameExpected)',
    ],
    ['no case', json('{ "evals": [] }'), '1:12 Expected at least one case, got an empty list'],
    [
      'another skill',
      json('{ "skill_name": "x", "evals": [{ "id": 1, "prompt": "a", "assertions": ["b"] }] }'),
      '1:17 The file is for the skill "x", not for "greet"',
    ],
    [
      'a missing file',
      one('"assertions": ["x"], "files": ["no.csv"]'),
      '2:59 The file "no.csv" does not exist',
    ],
    [
      'a file outside',
      one('"assertions": ["x"], "files": ["/etc/passwd"]'),
      '2:59 The file "/etc/passwd" is outside of the skill',
    ],
    ['an empty list of queries', json('[]'), '1:1 Expected at least one query, got an empty list'],
    [
      'a text for a flag',
      json('[{ "query": "a", "should_trigger": "yes" }]'),
      '1:36 Expected true or false, got "yes"',
    ],
    ['an unknown kind', grader('type: vibes'), '2:7 Expected a kind of grader, got "vibes"'],
    ['a key of another kind', grader('type: regex\npattern: a\nmin: 1'), '4:1 Unknown key "min"'],
    [
      'a broken expression',
      grader('type: regex\npattern: "("'),
      '3:10 Expected a regular expression: Invalid regular expression: /(/: Unterminated group',
    ],
    [
      'a program outside',
      grader('type: program\nprogram: [/bin/sh]'),
      '3:11 The file "/bin/sh" is outside of the skill',
    ],
    [
      'a variable of the host',
      {
        'evals/one/prompt.md': `---\nenv: { PATH: x }\n---\n${PROMPT}`,
        'evals/one/graders/a.md': REGEX,
      },
      '2:8 Expected a variable EVAL_…, got "PATH"',
    ],
    [
      'no prompt',
      { 'evals/one/prompt.md': '---\nruns: 3\n---\n', 'evals/one/graders/a.md': REGEX },
      '1:1 The case has no prompt',
    ],
    ['no grader', { 'evals/one/prompt.md': PROMPT }, '1:1 The case has no grader'],
    [
      'a folder without a prompt',
      { 'evals/one/readme.txt': 'x' },
      '1:1 The folder has neither prompt.md nor case.yaml',
    ],
  ])('%s', (_, tree, mistake) => {
    expect(listMistakes(tree)).toEqual([mistake])
  })

  it.each([
    ['evals/greet/prompt.md', 'key'],
    ['evals/greet/case.yaml', 'key'],
    ['evals/greet/graders', '.'],
    ['evals/greet/graders/a.md', 'key'],
    ['evals', '.'],
  ])('a link at %s gives no file of the user to a model', (path, target) => {
    const home = createFolder({
      key: '---\ntype: regex\npattern: private key\n---\n',
      'a.md': '---\ntype: regex\npattern: private key\n---\n',
      'greet/prompt.md': 'private key',
    })
    const written = { 'evals/greet/prompt.md': PROMPT, 'evals/greet/graders/b.md': REGEX }
    const folder = createFolder(written)
    // Control: without the link, the case is read.
    expect(readEvals({ folder, names: ['greet'] }).cases).toHaveLength(1)
    rmSync(join(folder, path), { recursive: true, force: true })
    symlinkSync(join(home, target), join(folder, path))
    const { cases, problems } = readEvals({ folder, names: ['greet'] })
    expect(cases).toEqual([])
    expect(problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('leads out of the skill'),
    )
  })
})
