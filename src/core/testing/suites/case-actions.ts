import type { PlainObject } from '../../skills/manifest/manifest.ts'
import {
  SKILL_LANGUAGE_NAMES,
  type SkillLanguageName,
} from '../../skills/manifest/skill-languages.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import {
  anyField,
  choiceField,
  listField,
  nameField,
  textField,
  type FieldTable,
} from '../document/field.ts'
import { conversationField, createArgsField } from './conversation-fields.ts'
import type { CaseAction, ScriptedTurn } from './suite.ts'
import { toolsField } from './tool-names.ts'

const argsField = createArgsField('Arguments of the function')

const stdinField = textField('Standard input of the program')

const mountField = listField(
  'Skills to mount, or to offer (default: the tested one, ".")',
  nameField('A folder relative to the skill, or a name'),
)

/** A kind of action: the key that selects it, and its further keys. */
interface ActionKind {
  /** The key that selects the kind; undefined for the one without a key of its own. */
  key: string | undefined
  summary: string
  fields: FieldTable
  build(values: ActionValues): CaseAction
}

/** Values of all kinds; a kind gets those of its own fields. */
interface ActionValues {
  args?: PlainObject
  code?: string
  language?: SkillLanguageName
  entrypoint?: string
  mount?: string[]
  command?: string
  program?: string[]
  stdin?: string
  conversation?: ScriptedTurn[]
  tools?: string | readonly string[]
}

/** Every kind of action; the first whose key is present counts. */
export const ACTION_KINDS: readonly ActionKind[] = [
  {
    key: 'code',
    summary: 'Call a function of code with mounted skills, as run_code does',
    fields: {
      code: nameField('Code with the function to call'),
      language: choiceField('Language of the code', SKILL_LANGUAGE_NAMES),
      entrypoint: nameField('Name of the function (default: main)'),
      mount: mountField,
      args: argsField,
    },
    build: ({ code = '', language = 'python', entrypoint, mount = ['.'], args = {} }) => ({
      kind: 'code',
      code,
      language,
      entrypoint,
      mounts: mount,
      args,
    }),
  },
  {
    key: 'program',
    summary: 'Run a program of the skill, without a shell',
    fields: {
      program: listField('The program and its arguments', textField('A word')),
      stdin: stdinField,
    },
    build: ({ program = [], stdin }) => ({
      kind: 'command',
      command: program.map((word) => quoteShellWord(word)).join(' '),
      stdin,
    }),
  },
  {
    key: 'command',
    summary: 'Run a shell command in the folder of the skill, as skill_run does',
    fields: { command: nameField('The shell command'), stdin: stdinField },
    build: ({ command = '', stdin }) => ({ kind: 'command', command, stdin }),
  },
  {
    key: 'conversation',
    summary: 'Play the answers of a scripted model to an agent, whose tool calls are executed',
    fields: { conversation: conversationField, tools: toolsField, mount: mountField },
    build: ({ conversation = [], tools = 'agent', mount = ['.'] }) => ({
      kind: 'conversation',
      turns: conversation,
      tools,
      mounts: mount,
    }),
  },
  {
    key: undefined,
    summary: "Call the skill's function, as execute_skill does",
    fields: { args: argsField },
    build: ({ args = {} }) => ({ kind: 'skill', args }),
  },
]

/** The fields of all kinds. */
export const ACTION_FIELDS: FieldTable = {
  ...Object.assign({}, ...ACTION_KINDS.map(({ fields }) => fields)),
  args: { ...anyField('Arguments of the function'), ...argsField },
}
