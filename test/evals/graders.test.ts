import { expect, it } from 'vitest'
import type { Grader } from '../../src/evals/cases/eval-case.ts'
import { checkRun } from '../../src/evals/graders/check-run.ts'
import { judgeRun, toGraderResult, type JudgedGrader } from '../../src/evals/graders/judge.ts'
import { Budget } from '../../src/evals/model/budget.ts'
import type { EvalModel } from '../../src/evals/model/eval-model.ts'
import type { TrajectoryEvent } from '../../src/evals/running/trajectory.ts'
import { createFolder } from '../helpers/skills.ts'

const EVENTS: TrajectoryEvent[] = [
  {
    type: 'assistant',
    text: '',
    calls: [{ id: '1', name: 'skill_load', arguments: { skill: 'greet' } }],
    usage: null,
  },
  {
    type: 'assistant',
    text: '{"a": 1}',
    calls: [{ id: '2', name: 'workspace_exec', arguments: { command: 'ls' } }],
    usage: null,
  },
]

function check(grader: object, tree = {}): boolean {
  const common = { name: 'x', weight: 1, arm: 'both' }
  const record = { events: EVENTS, outputs: createFolder(tree) }
  return checkRun({ ...common, ...grader } as never, record).passed
}

const call = (name: string, inputMatch?: string) => ({ tools: [name], label: name, inputMatch })
const LAST = { source: 'last_message' }

it.each<[string, object, boolean]>([
  [
    'regex that matches',
    { kind: 'regex', pattern: 'A', flags: 'i', match: 'contains', target: LAST },
    true,
  ],
  [
    'regex that must not match',
    { kind: 'regex', pattern: 'a', flags: '', match: 'not_contains', target: LAST },
    false,
  ],
  [
    'count of matches',
    {
      kind: 'regex',
      pattern: 'skill',
      flags: '',
      match: { count: 2 },
      target: { source: 'trace' },
    },
    true,
  ],
  [
    'regex on a file',
    {
      kind: 'regex',
      pattern: '^hi',
      flags: '',
      match: 'contains',
      target: { source: 'file', path: '*.txt' },
    },
    true,
  ],
  [
    'regex on a missing file',
    {
      kind: 'regex',
      pattern: 'a',
      flags: '',
      match: 'not_contains',
      target: { source: 'file', path: 'no' },
    },
    false,
  ],
  [
    'tool that was used',
    { kind: 'tool_used', call: call('skill_load', 'greet'), min: 1, max: 1 },
    true,
  ],
  [
    'tool with other arguments',
    { kind: 'tool_used', call: call('skill_load', 'other'), min: 1, max: undefined },
    false,
  ],
  [
    'order of tools',
    { kind: 'tool_order', before: call('skill_load'), after: call('workspace_exec') },
    true,
  ],
  [
    'wrong order of tools',
    { kind: 'tool_order', before: call('workspace_exec'), after: call('skill_load') },
    false,
  ],
  ['file that exists', { kind: 'file_exists', path: 'a.txt', exists: true }, true],
  ['file that must not exist', { kind: 'file_exists', path: '*.txt', exists: false }, false],
  [
    'value that fits a schema',
    { kind: 'json_schema', schema: { type: 'object', required: ['a'] }, target: LAST },
    true,
  ],
  [
    'value that does not fit',
    {
      kind: 'json_schema',
      schema: { type: 'object', required: ['b'], properties: { b: {} } },
      target: LAST,
    },
    false,
  ],
])('%s', (_, grader, passed) => {
  expect(check(grader, { 'out/a.txt': 'hi' })).toBe(passed)
})

it('an expression of exponential time does not stop the grading', () => {
  const events: TrajectoryEvent[] = [
    { type: 'assistant', text: `${'a'.repeat(50)}!`, calls: [], usage: null },
  ]
  const grader = { name: 'x', weight: 1, arm: 'both', kind: 'regex', pattern: '(a+)+$', flags: '' }
  const result = checkRun({ ...grader, match: 'contains', target: LAST } as never, {
    events,
    outputs: createFolder(),
  })
  expect(result).toMatchObject({ passed: false, evidence: 'The expression takes too long' })
})

const STATEMENT = {
  kind: 'llm',
  name: 'x',
  criteria: 'It greets',
  target: LAST,
  weight: 1,
  arm: 'both',
} as Grader as JudgedGrader

async function judge(answers: readonly string[]) {
  const prompts: string[] = []
  const model: EvalModel = {
    name: 'x',
    isFree: true,
    async respond({ messages }) {
      prompts.push(messages.at(-1)?.content ?? '')
      return {
        message: { role: 'assistant', content: answers[prompts.length - 1] ?? '' },
        usage: undefined,
      }
    },
  }
  const limits = { maxCostUsd: undefined, maxTokens: undefined, prices: undefined }
  const { signal } = new AbortController()
  const judgement = await judgeRun(
    STATEMENT,
    { events: EVENTS, outputs: createFolder() },
    { model, budget: new Budget(limits), signal },
  )
  return { ...toGraderResult(STATEMENT, judgement), votes: judgement.votes.length, prompts }
}

it('the majority of the votes decides, and a third one is asked for only if two differ', async () => {
  const [yes, no] = ['{"passed": true, "evidence": "e"}', '{"passed": false, "evidence": "n"}']
  expect(await judge([yes, yes])).toMatchObject({ passed: true, votes: 2 })
  expect(await judge([yes, no, no])).toMatchObject({ passed: false, votes: 3, evidence: 'n' })
})

it('an answer that is not JSON counts against the statement', async () => {
  expect(await judge(['I agree', 'passed: true'])).toMatchObject({ passed: false, votes: 2 })
})

it('the material of a run cannot close its mark, which is random', async () => {
  const { prompts } = await judge(['{"passed": true}', '{"passed": true}'])
  const marks = prompts.map((each) => /<(material [0-9a-f]{16})>/.exec(each)?.[1])
  expect(new Set(marks).size).toBe(2)
})
