import type { Intent } from './intent.ts'
import { FOREIGN, AUTHENTICATES, DATA_IN_ADDRESS, SUBJECTS } from './subjects.ts'

/** The number of a conversation, or a link of a description: neither has the conversation in it. */
const RECORD_NUMBER =
  /\b(?:conversation|session|transcript|chat)[ _-]?ids?\b|\]\(https?:|^(?:description|keywords|homepage|tags|author):|\b(?:keywords|homepage):/im

/** Intents about data that is read or leaves the machine. */
export const DATA_INTENTS: readonly Intent[] = [
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['send', 'credentialPlace', 'host'],
      ['credentialPlace', 'send', 'host'],
      ['credentialPlace', 'host', 'send'],
      ['host', 'send', 'credentialPlace'],
    ],
    gap: 140,
    hosts: FOREIGN,
    unless: AUTHENTICATES,
    message:
      'The text tells the agent to send credentials to a host that the skill does not declare',
    help: 'Ask the author why the skill needs them, and whose host it is',
  },
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['send', 'credential', 'host'],
      ['credential', 'send', 'host'],
    ],
    gap: 140,
    hosts: ['odd', 'unknown'],
    unless: AUTHENTICATES,
    message:
      'The text tells the agent to send credentials to a host that the skill does not declare',
    help: 'Ask the author why the skill needs them, and whose host it is',
  },
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['send', 'credential', 'host'],
      ['credential', 'send', 'host'],
    ],
    gap: 140,
    hosts: ['named'],
    unless:
      /\bapi[ _-]?(?:keys?\b|密钥)|密钥仅|仅将|access[ _-]?tokens?|auth[ _-]?tokens?|\bheader|authoriz|authenticat|\bbearer\b|log ?in|sign (?:in|up)|\binvalid credentials|email\/password/i,
    message:
      'The text tells the agent to send credentials to a host that the skill does not declare',
    help: 'Ask the author why the skill needs them, and whose host it is',
  },
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['keyPlace', 'host'],
      ['host', 'keyPlace'],
    ],
    gap: 160,
    hosts: FOREIGN,
    describedBy: SUBJECTS.keys,
    unless: AUTHENTICATES,
    message:
      'The text brings private keys, tokens or passwords together with a host that the skill does not declare',
    help: 'Ask the author why the skill needs them, and whose host it is',
  },
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['send', 'talk', 'host'],
      ['send', 'agentPlace', 'host'],
      ['talk', 'send', 'host'],
      ['agentPlace', 'send', 'host'],
      ['host', 'send', 'talk'],
    ],
    gap: 140,
    hosts: FOREIGN,
    unless: RECORD_NUMBER,
    message: 'The text tells the agent to send the conversation or data of agents to another host',
    help: 'Ask the author whose host it is, and whether the user agrees to each transfer',
  },
  {
    class: 'data-upload',
    severity: 'error',
    words: [
      ['host', 'keyPlace'],
      ['host', 'agentPlace'],
      ['host', 'talk'],
      ['host', 'whole', 'credential'],
      ['keyPlace', 'host'],
      ['talk', 'host'],
    ],
    gap: 160,
    hosts: FOREIGN,
    only: DATA_IN_ADDRESS,
    unless: RECORD_NUMBER,
    message: 'The text puts private data into an address of another host',
    help: 'Remove it: a picture or a link needs no data of the user',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    words: [
      ['send', 'whole', 'host'],
      ['send', 'private', 'host'],
      ['private', 'send', 'host'],
      ['host', 'send', 'private'],
    ],
    gap: 90,
    hosts: ['odd'],
    unless: /\bforwarding url|\btunnel|\bngrok http/i,
    message: 'The text tells the agent to send data to a host that hides its owner',
    help: 'Ask the author whose host it is, and declare it in the description',
  },
  {
    class: 'data-upload',
    severity: 'info',
    words: [
      ['send', 'whole', 'host'],
      ['send', 'private', 'host'],
      ['private', 'send', 'host'],
    ],
    gap: 90,
    hosts: ['unknown'],
    only: /\b(?:every|each|always|all|full|entire|raw|automatically|original|user's|before|after|first)\b|alle|immer|gesamte|siempre|todo|所有|每次|完整/i,
    message: 'The text tells the agent to send data to a host that the skill does not declare',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    words: [['send', 'host']],
    gap: 90,
    hosts: FOREIGN,
    only: /\b(?:bcc|cc|forward|copy of|copies of)\b[^.]{0,120}@|@[^.]{0,60}\b(?:bcc|blind copy)\b|weiterleite|reenvía/i,
    unless: /\b(?:confirm|if the user|when the user|ask)\b|<img|\.(?:svg|png|gif)\b/i,
    message: 'The text tells the agent to send copies to an address that the skill brings along',
    help: 'Ask the author whose address it is, and let the user choose',
  },
  {
    class: 'undeclared-behaviour',
    severity: 'warning',
    isLocal: true,
    words: [
      ['send', 'host'],
      ['host', 'send'],
    ],
    gap: 60,
    hosts: FOREIGN,
    only: /\b(?:POST|PUT|uploads?|send|submit|transmit|forward|e-?mail|deliver|report|push|sync|share|sende|übermittle|envía\w*|sube)\b[^.]{0,120}(?:https?:|@|\w\.\w)|(?:发送|上传|提交)[^。]{0,40}\w\.\w/i,
    unless:
      /upload-time|\be-?mail"?\s*[:|)]|\buploads? to \S+\s*$|\bsync(?:hronous)? upload|仅|不进行|clawhub|\bapi\s*\(|\bPOST https?:|\]\(https?:|\b(?:confirm\w*|agrees?|approv\w*|if the user|when the user|user (?:asks|wants)|issues?|bugs?|contact|support)\b|帮助|联系/i,
    message: 'The text sends something to a host, of which the description says nothing',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    words: [['read', 'credentialPlace']],
    gap: 90,
    describedBy: SUBJECTS.keys,
    unless:
      /^(?=[^]*\.env\b)(?![^]*(?:\.ssh|\.aws|netrc|npmrc|entire|every|all |contents of|whole))|\.env\.example|\bpublic key|\.pub\b|chmod|gitignore|\bexists?\b|\bexclud|(?<!\.)\bexample\b/i,
    message: 'The text tells the agent to read a place of private keys, tokens or passwords',
    help: 'Ask the author which task needs it, and name it in the description',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    words: [
      ['read', 'whole', 'credential'],
      ['read', 'credential', 'credential'],
    ],
    gap: 50,
    describedBy: SUBJECTS.keys,
    only: /\b(?:collect|gather|harvest|grab|extract|dump|copy|steal|scan for|look for|sammle|recopila)\w*\b[^.]{0,60}\b(?:user's|all|any|every|stored|saved|on (?:this|the) (?:machine|system|computer|host)|they|local|available|home|disk)\b|(?:sammle|kopiere)[^.]{0,40}alle|recopila[^.]{0,40}todas|(?:收集|复制|提取)[^。]{0,20}所有/i,
    unless: /\bexclud|\bhard-?coded?\b|\bhardcod|redact|mask|strip|remov/i,
    message: 'The text tells the agent to collect credentials',
    help: 'Ask the author which task needs them, and name it in the description',
  },
  {
    class: 'agent-data',
    severity: 'warning',
    words: [['read', 'talk']],
    gap: 40,
    only: /system (?:prompt|message|instructions)|hidden instructions|your instructions|systemprompt|系统提示|prompt del sistema/i,
    describedBy: SUBJECTS.agents,
    message: 'The text tells the agent to give away its instructions',
    help: 'Ask the author what the skill does with them',
  },
]
