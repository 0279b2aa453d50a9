import type { PlainObject } from '../../skills/manifest/manifest.ts'
import {
  filledTableField,
  isTable,
  listField,
  nameField,
  requiredField,
  spellValue,
  tableField,
  textField,
  type Field,
  type FieldValues,
} from '../document/field.ts'
import type { Place } from '../document/problems.ts'
import type { ScriptedTurn } from './suite.ts'

/** Upper bounds of one conversation. */
const MAX_TURNS = 100
const MAX_CALLS = 100

/** Arguments of a function or of a tool. */
export function createArgsField(description: string): Field<PlainObject> {
  return {
    description,
    schema: { type: 'object', description },
    read: (value, place) =>
      isTable(value) ? value : place.refuse(`Expected a table, got ${spellValue(value)}`),
  }
}

const CALL_FIELDS = {
  tool: requiredField(nameField('Name of the tool; one that is not offered gets an error')),
  args: createArgsField('Arguments of the call'),
}

const TURN_FIELDS = {
  user: nameField('Message of the user before this answer (default of the first: the name)'),
  text: textField('Text of the answer'),
  calls: listField(
    'Tool calls of the answer, which run at the same time',
    tableField('A tool call', CALL_FIELDS),
  ),
}

const turnsField = listField(
  'Answers of a scripted model to an agent that has the skill, in order',
  filledTableField('An answer', TURN_FIELDS),
)

type TurnValues = FieldValues<typeof TURN_FIELDS>

/** The answers of a scripted model. An answer without calls ends the turn of the user. */
export const conversationField: Field<ScriptedTurn[]> = {
  ...turnsField,
  schema: { ...turnsField.schema, maxItems: MAX_TURNS },
  read(value, place) {
    const before = place.problemCount
    const turns = turnsField.read(value, place)
    if (!turns || place.problemCount > before) return undefined
    if (turns.length > MAX_TURNS) {
      return place.refuse(`Expected at most ${MAX_TURNS} answers, got ${turns.length}`)
    }
    for (const [at, turn] of turns.entries()) checkTurn(turn, turns[at + 1], place.at(at))
    return place.problemCount > before ? undefined : turns.map(toTurn)
  },
}

// eslint-disable-next-line max-params -- an answer, the next one, and the place
function checkTurn(turn: TurnValues, next: TurnValues | undefined, place: Place): void {
  const { text, calls = [] } = turn
  if (calls.length > MAX_CALLS) {
    place.at('calls').refuse(`Expected at most ${MAX_CALLS} calls, got ${calls.length}`)
  }
  if (text === undefined && calls.length === 0) {
    place.refuse('Expected an answer with "text" or "calls"', {
      help: 'Write calls = [{ tool = "skill_load", args = { skill = "<name>" } }]',
    })
  }
  if (calls.length === 0 && next && next.user === undefined) {
    place.refuse('An answer without calls ends the turn, but another answer follows', {
      help: 'Add "user" to the next answer, or "calls" to this one',
    })
  }
  if (calls.length > 0 && next?.user !== undefined) {
    place.refuse('The user has a message before the model has seen the results of these calls', {
      help: 'Add an answer with only "text" in between',
    })
  }
}

function toTurn({ user, text = '', calls = [] }: TurnValues): ScriptedTurn {
  return {
    user,
    text,
    calls: calls.map(({ tool = '', args = {} }) => ({ tool, args })),
  }
}
