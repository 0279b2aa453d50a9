import type { SafetyClass } from '../safety-finding.ts'
import type { FamilyName } from './families.ts'
import { AUTHENTICATES, SUBJECTS } from './subjects.ts'

/** One family, or any of several. */
export type Slot = FamilyName | readonly FamilyName[]

/** A kind of harm: families that meet in one sentence, with others in its surroundings. */
export interface Frame {
  class: SafetyClass
  severity: 'error' | 'warning' | 'info'
  /** Families of one sentence, in any order; a finding stands at the first. */
  sentence: readonly Slot[]
  /** Families of the paragraph or of its neighbours. */
  near?: readonly Slot[]
  /** Words of the sentence that give it an innocent reading. */
  unless?: RegExp
  describedBy?: RegExp
  /** True if the neighbours of the paragraph count, too. */
  isWide?: true
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  message: string
  help: string
}

const HIDDEN: Slot = ['conceal', 'unasked']

export const FRAMES: readonly Frame[] = [
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['send', ['host', 'outside'], 'secret', 'all'],
    message: 'The text brings secrets of the user to a place outside',
    help: 'Ask the author whose place it is, and why the task needs them there',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['send', ['host', 'outside'], 'private'],
    near: [['conceal', 'presumed']],
    message: 'The text brings data of the user to a place outside, and hides it',
    help: 'Ask the author whose place it is, and what the user should not know',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['transmit', 'host'],
    near: ['conceal'],
    message: 'The text sends something to a place outside, and hides it',
    help: 'Ask the author whose place it is, and what the user should not know',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['send', 'publicPlace', 'sensitive'],
    message: 'The text makes data of the user public',
    help: 'Ask the author why others must see them, and ask the user first',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    sentence: ['exchange', 'packages'],
    near: ['conceal'],
    message: 'The text changes where packages come from, and hides it',
    help: 'Ask the author whose packages these are',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['template', ['private', 'secret']],
    near: ['address', 'host'],
    isWide: true,
    isLocal: true,
    unless: /\b(?:chart|qr|badges?|shields|regex|curl)\b/i,
    message: 'The text puts private data into an address of another host',
    help: 'Remove it: a picture or a link needs no data of the user',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['composed', 'address', 'host', ['private', 'secret']],
    message: 'The text puts private data into an address of another host',
    help: 'Remove it: a picture or a link needs no data of the user',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    sentence: ['gather', 'secret', 'places'],
    near: [['outside', 'conceal']],
    message: 'The text tells the agent to collect credentials',
    help: 'Ask the author which task needs them, and name it in the description',
  },
  {
    class: 'agent-data',
    severity: 'warning',
    sentence: ['gather', 'records'],
    near: [['outside', 'conceal', 'host']],
    isWide: true,
    describedBy: SUBJECTS.agents,
    message: 'The text tells the agent to read what agents and programs know of other work',
    help: 'Ask the author which task needs it, and whether the user agrees',
  },
  {
    class: 'agent-data',
    severity: 'warning',
    sentence: ['observe', 'sensors'],
    near: [['outside', 'conceal', 'host']],
    message: 'The text tells the agent to watch the user',
    help: 'No task needs this unseen: remove it, or do not use the skill',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    sentence: ['request', 'typed'],
    near: [['pretext', 'host', 'conceal']],
    message: 'The text tells the agent to get secrets out of the user',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'obfuscated-code',
    severity: 'warning',
    sentence: ['enacted'],
    near: ['decoded'],
    unless: /\b(?:never|not|only) (?:\w+ )?(?:executed|run|shown|carried|acted|obeyed|followed)/i,
    message: 'The text tells the agent to decode an order and to carry it out',
    help: 'Write the order in plain words, or ask the author what it says',
  },
  {
    class: 'remote-instructions',
    severity: 'warning',
    sentence: ['obeyed'],
    near: ['incoming', ['host', 'conceal', 'unasked']],
    message: 'The text tells the agent to carry out what comes from elsewhere',
    help: 'Put the instructions into the skill: a fetched text can change after each review',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    sentence: ['above', 'authority'],
    near: [['conceal', 'lifted', 'refusal', 'host', 'obeyed']],
    message: 'The text claims to stand above the user, the system or its safety rules',
    help: 'Ask the author which instruction it must override',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    sentence: ['lifted', 'refusal'],
    near: [['authority', 'conceal', 'unasked']],
    message: 'The text tells the agent that its rules do not apply',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    sentence: ['herald'],
    near: [['refusal', 'lifted', 'above', 'affirmed', 'unasked', 'host'], ['authority', 'conceal']],
    isWide: true,
    message: 'The text speaks as if it came from the system or from the operator',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    sentence: ['affirmed'],
    near: ['dialog'],
    message: 'The text tells the agent to give itself the consent of the user',
    help: 'Leave the decision to the user',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    sentence: ['write', 'agentFile'],
    near: [['guide', 'host'], ['conceal', 'restore']],
    message: 'The text plants a rule in the memory or the instructions of agents',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'destruction',
    severity: 'warning',
    sentence: ['destroy', 'final', 'others'],
    near: [HIDDEN],
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'destruction',
    severity: 'warning',
    sentence: ['destroy', 'final'],
    near: ['conceal'],
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'disabled-protection',
    severity: 'warning',
    sentence: ['disable', 'protection'],
    near: [['conceal', 'unasked', 'host', 'restore']],
    message: 'The text tells the agent to turn off a protection',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['transmit', 'host'],
    near: ['vaultPlace'],
    unless: AUTHENTICATES,
    describedBy: SUBJECTS.keys,
    message: 'The text brings secrets of the user to a place outside',
    help: 'Ask the author whose place it is, and why the task needs them there',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    sentence: ['send', 'host', 'private', 'each'],
    isLocal: true,
    unless: AUTHENTICATES,
    message: 'The text sends data of the user to a host, of which the description says nothing',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    sentence: ['shellRun', 'host'],
    isLocal: true,
    message: 'The text tells the agent to download a program and start it',
    help: 'Put the code into the skill, so that it can be read',
  },
  {
    class: 'persistence',
    severity: 'warning',
    sentence: ['write', 'startPlace', 'host'],
    describedBy: SUBJECTS.startup,
    message: 'The text tells the agent to start a downloaded text with the shell or a scheduler',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    sentence: ['bypassFlag'],
    near: ['friction'],
    isWide: true,
    message: 'The text tells the agent to turn off the questions to the user',
    help: 'Leave the decision to the user',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['unseenText', 'toAgents'],
    message: 'The text tells the agent to hide instructions for other agents in its work',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['payee', ['altered', 'irrespective']],
    near: [['conceal', 'trigger']],
    message: 'The text tells the agent to change where money goes',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'destruction',
    severity: 'warning',
    sentence: ['destroy', 'vaultPlace'],
    near: ['conceal'],
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    sentence: ['pay', 'ownMeans'],
    near: [HIDDEN],
    message: 'The text tells the agent to pay in the name of the user',
    help: 'Ask the user for the amount and the recipient each time',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    sentence: ['act', 'inName'],
    near: [HIDDEN],
    message: 'The text tells the agent to act in the name of the user without asking',
    help: 'Ask the user each time, with what goes out and to whom',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['favoured'],
    near: ['verdict', ['conceal', 'irrespective', 'feigned']],
    message: 'The text fixes a verdict or a recommendation beforehand',
    help: 'Ask the author whose interest this serves',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['altered', 'money'],
    near: ['conceal', ['trigger', 'denied', 'favoured', 'host']],
    message: 'The text tells the agent to change where money goes',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['granted', 'rights'],
    near: ['conceal'],
    isWide: true,
    message: 'The text tells the agent to give rights to an account that the skill brings along',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    sentence: ['ties'],
    near: [['conceal', 'unasked', 'host', 'outside']],
    message: 'The text tells the agent to put a hidden way in into the work',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'trigger',
    severity: 'warning',
    sentence: ['trigger'],
    near: ['denied', 'conceal'],
    message: 'The text makes the behaviour depend on the moment, and hides it',
    help: 'Ask the author why the skill must behave differently there',
  },
  {
    class: 'concealment',
    severity: 'warning',
    sentence: [['asked', 'feigned'], ['denied', 'feigned']],
    near: [['conceal', 'unasked', 'asked']],
    message: 'The text tells the agent to mislead the user who asks',
    help: 'Ask the author what the answer hides',
  },
]
