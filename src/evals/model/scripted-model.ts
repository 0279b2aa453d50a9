import { readFileSync } from 'node:fs'
import type { NeutralMessage } from '../../agent/adapters/neutral.ts'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import {
  anyField,
  countField,
  listField,
  nameField,
  patternField,
  readTable,
  requiredField,
  tableField,
  textField,
  type FieldValues,
} from '../../core/testing/document/field.ts'
import { ProblemList } from '../../core/testing/document/problems.ts'
import { readDocument } from '../../core/testing/document/read-document.ts'
import { SkillsError } from '../../errors.ts'
import type { EvalModel, ModelAnswer } from './eval-model.ts'

const CALL_FIELDS = {
  name: requiredField(nameField('Name of a tool')),
  arguments: anyField('Arguments of the call'),
}

const TURN_FIELDS = {
  text: textField('Text of the answer'),
  calls: listField('Tool calls of the answer', tableField('A tool call', CALL_FIELDS)),
  usage: tableField('Tokens that the request and the answer count as', {
    input: countField('Tokens of the request'),
    output: countField('Tokens of the answer'),
  }),
}

const CONVERSATION_FIELDS = {
  prompt: patternField('Regular expression for the first message of the user'),
  system: patternField('Regular expression for the system message'),
  turns: requiredField(listField('Answers, in order', tableField('An answer', TURN_FIELDS))),
}

const SCRIPT_FIELDS = {
  conversations: requiredField(
    listField('Conversations; the first that fits counts', tableField('', CONVERSATION_FIELDS)),
  ),
}

type ScriptedConversation = FieldValues<typeof CONVERSATION_FIELDS>
type Turn = FieldValues<typeof TURN_FIELDS>

/** A model whose answers are in a file (TOML, YAML or JSON): the same conversation, the same answer. */
export function openScriptedModel(file: string, name: string): EvalModel {
  const conversations = readScript(file)
  return {
    name,
    isFree: true,
    async respond({ messages, signal }) {
      signal.throwIfAborted()
      return answerFromScript(conversations, messages)
    },
  }
}

function readScript(file: string): readonly ScriptedConversation[] {
  let text
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new SkillsError('usage/invalid', `Cannot read the scripted model "${file}"`, {
      hint: 'Write it as --model script:path/to/answers.yaml',
      cause,
    })
  }
  const list = new ProblemList(file, readDocument(file, text))
  const document = readDocument(file, text)
  const values = document.problem ? undefined : readTable(SCRIPT_FIELDS, document.data, list.at([]))
  const [problem] = list.problems
  if (problem) {
    const { line, column } = problem.start
    throw new SkillsError('usage/invalid', `${file}:${line}:${column}: ${problem.message}`, {
      hint: problem.help,
    })
  }
  return values?.conversations ?? []
}

function answerFromScript(
  conversations: readonly ScriptedConversation[],
  messages: readonly NeutralMessage[],
): ModelAnswer {
  const prompt = messages.find(({ role }) => role === 'user')?.content ?? ''
  const system = messages.find(({ role }) => role === 'system')?.content ?? ''
  const found = conversations.find(
    (each) => (each.prompt?.test(prompt) ?? true) && (each.system?.test(system) ?? true),
  )
  if (!found) {
    throw scriptError(`no conversation fits the message "${prompt.slice(0, 100)}"`)
  }
  const turn = messages.filter(({ role }) => role === 'assistant').length
  const answer = found.turns?.[turn]
  if (!answer) throw scriptError(`the conversation has no answer number ${turn + 1}`)
  return toAnswer(answer, turn)
}

function toAnswer({ text = '', calls = [], usage }: Turn, turn: number): ModelAnswer {
  const { input = 0, output = 0 } = usage ?? {}
  return {
    message: {
      role: 'assistant',
      content: text,
      ...(calls.length > 0 && {
        calls: calls.map(({ name = '', arguments: args }, at) => ({
          id: `call-${turn + 1}-${at + 1}`,
          name,
          arguments: (args?.value ?? {}) as Plain,
        })),
      }),
    },
    usage: { input, output },
  }
}

function scriptError(reason: string): SkillsError {
  return new SkillsError('usage/invalid', `The scripted model cannot answer: ${reason}`, {
    hint: 'Add the answer to the file of --model script:…',
  })
}
