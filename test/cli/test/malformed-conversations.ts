import type { MalformedSuite } from './malformed.ts'

const LOAD =
  'conversation = [{ calls = [{ tool = "skill_load", args = { skill = "demo.echo" } }] }]'

const writeCase = (lines: string, expectation = '{ status = "completed" }') =>
  `[[cases]]\nname = "a"\n${lines}\nexpect = [${expectation}]\n`

/** Files of cases with a mistake in a conversation. */
export const MALFORMED_CONVERSATIONS: readonly MalformedSuite[] = [
  {
    name: 'a conversation without answers',
    at: '3:16',
    message: 'Expected at least one element, got an empty list',
    text: writeCase('conversation = []'),
  },
  {
    name: 'a text instead of a conversation',
    at: '3:16',
    message: 'Expected a list, got "hello"',
    text: writeCase('conversation = "hello"'),
  },
  {
    name: 'an answer without text and calls',
    at: '3:17',
    message: 'Expected an answer with "text" or "calls"',
    text: writeCase('conversation = [{ user = "hello" }]'),
  },
  {
    name: 'an unknown key of an answer',
    at: '3:19',
    message: 'Unknown key "tool"',
    text: writeCase('conversation = [{ tool = "skill_load" }]'),
  },
  {
    name: 'a call without a tool',
    at: '3:28',
    message: 'The key "tool" is missing',
    text: writeCase('conversation = [{ calls = [{ args = {} }] }]'),
  },
  {
    name: 'arguments of a call that are a text',
    at: '3:52',
    message: 'Expected a table, got "{}"',
    text: writeCase('conversation = [{ calls = [{ tool = "read", args = "{}" }] }]'),
  },
  {
    name: 'an answer after the end of a turn',
    at: '3:17',
    message: 'An answer without calls ends the turn, but another answer follows',
    text: writeCase('conversation = [{ text = "a" }, { text = "b" }]'),
  },
  {
    name: 'a message of the user before the results of calls',
    at: '3:17',
    message: 'The user has a message before the model has seen the results of these calls',
    text: writeCase('conversation = [{ calls = [{ tool = "x" }] }, { user = "b", text = "b" }]'),
  },
  {
    name: 'an unknown profile of tools',
    at: '4:9',
    message: 'Expected a profile or a list of tools, got "everything"',
    text: writeCase(`${LOAD}\ntools = "everything"`),
  },
  {
    name: 'an unknown tool that is offered',
    at: '4:24',
    message: 'Expected a tool, got "skill_lode"',
    text: writeCase(`${LOAD}\ntools = ["skill_load", "skill_lode"]`),
  },
  {
    name: 'a program of the host as a tool',
    at: '4:10',
    message: 'Expected a tool, got "runtime.execute"',
    text: writeCase(`${LOAD}\ntools = ["runtime.execute"]`),
  },
  {
    name: 'tools of a function',
    at: '3:1',
    message: 'The key "tools" has no effect here',
    text: writeCase('tools = "full"'),
  },
  {
    name: 'blobs of a conversation',
    at: '4:1',
    message: 'The key "blobs" has no effect here',
    text: writeCase(`${LOAD}\nblobs = { a = "SKILL.md" }`),
  },
  {
    name: 'a result of a call that does not exist',
    at: '4:27',
    message: 'The conversation has 1 calls, but not number 2',
    text: writeCase(LOAD, '{ tool_result = { call = 2, error = false } }'),
  },
  {
    name: 'a result of call 0',
    at: '4:36',
    message: 'Expected a whole number from 1, got 0',
    text: writeCase(LOAD, '{ tool_result = { call = 0, error = false } }'),
  },
  {
    name: 'a result without a condition',
    at: '4:27',
    message: 'Expected at least one of tool, error, contains',
    text: writeCase(LOAD, '{ tool_result = { call = 1 } }'),
  },
  {
    name: 'a request that is never sent',
    at: '4:23',
    message: 'The conversation has 2 requests, but not number 3',
    text: writeCase(LOAD, '{ request = { turn = 3, contains = "a" } }'),
  },
  {
    name: 'a result of a conversation',
    at: '4:13',
    message: 'The expectation "result" does not apply to a case with "conversation"',
    text: writeCase(LOAD, '{ result = { equals = 1 } }'),
  },
  {
    name: 'loaded skills of a function',
    at: '4:13',
    message: 'The expectation "loaded" does not apply to a case with "args"',
    text: writeCase('args = {}', '{ loaded = ["demo.echo"] }'),
  },
  {
    name: 'a transcript of a function',
    at: '4:24',
    message: 'The part "transcript" belongs to a case with "conversation"',
    text: writeCase('args = {}', '{ snapshot = "transcript" }'),
  },
]
