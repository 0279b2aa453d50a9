import { EFFECT_INTENTS } from './effect-intents.ts'
import type { Intent } from './intent.ts'
import { AUTHENTICATES, FOREIGN, SUBJECTS } from './subjects.ts'

/** The number of a conversation, or a link of a description: neither has the conversation in it. */
const RECORD_NUMBER =
  /\b(?:conversation|session|transcript|chat)[ _-]?ids?\b|\]\(https?:|^(?:description|keywords|homepage|tags|author):|\b(?:keywords|homepage):/im

/** Things that one sentence tells the agent to do, also in other languages. */
export const INTENTS: readonly Intent[] = [
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
    class: 'concealment',
    severity: 'warning',
    isNegative: true,
    words: [
      ['not', 'tell', 'thisAction'],
      ['not', 'tell', 'user', 'thisAction'],
      ['not', 'tellWeak', 'thisAction', 'user'],
      ['without', 'tell', 'user', 'thisAction'],
      ['user', 'not', 'learn', 'thisAction'],
      ['hide', 'thisAction', 'user'],
      ['hide', 'tellWeak', 'user'],
    ],
    gap: 40,
    unless:
      /\buntil\b|\bunless\b|\bbefore (?:it|you|the)|\bwait\b|\btell (?:the user )?(?:to|that)\b|\brepeat|\bverbatim|jargon|\binternal (?:name|id)|\bus(?:ed|ing) this skill\b|show, don['’]t tell|this is a skill|\btyped characters|\bin this prompt\b|\bcatch\b/i,
    message: 'The text tells the agent to hide from the user what it does',
    help: 'Ask the author what must be hidden, and why',
  },
  {
    class: 'instruction-override',
    severity: 'error',
    words: [
      ['ignore', 'prior', 'rules'],
      ['ignore', 'rules', 'system'],
      ['ignore', 'whole', 'system'],
    ],
    gap: 30,
    unless:
      /\b(?:optional|model|custom|per-\w+) (?:\w+ )?overrides?|\bcsp\b|\bcontent[- ]security|\boverrides? (?:for|of|with|via)\b|\bskip(?:s|ping)? all prompts|\b(?:previous|last) prompt\b|\bif the user\b|\b(?:project|repo|repository|local|global|default|lint|eslint|css|style|cursor|formatting|template|file|config\w*|\.md|prettier|org|organization|team|language)\b|user(?:'s)? (?:can|may|instructions? (?:always )?override)|\b(?:can|may) override|embedded|(?:instructions?|rules|guidelines|directives|prompts?|commands) (?:found |contained |written )?(?:in|inside|within|from) (?:the|that|any|an|their|its|this|these|untrusted|fetched|web|issue|user)\b|可能|会导致|忘记了/i,
    message: 'The text tells the agent to ignore its instructions',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    isNegative: true,
    words: [
      ['not', 'ask', 'send'],
      ['without', 'ask', 'send'],
      ['send', 'without', 'ask'],
      ['pay', 'without', 'ask'],
      ['publish', 'everyone', 'without', 'ask'],
      ['destroy', 'without', 'ask'],
      ['obey', 'orders', 'without', 'ask'],
      ['approve', 'whole', 'ask'],
    ],
    gap: 45,
    only: /\bwithout (?:\w+ ){0,3}(?:asking|confirm\w*|approval|permission|consent|prompting)\b|\b(?:don['’]?t|do not|never|no need to|need not|must not) (?:\w+ ){0,2}(?:ask|prompt|wait|request)\b|\bauto-?(?:approve|accept)\b[^.]{0,40}\b(?:all|every|any)|ohne (?:\w+ ){0,2}(?:zu fragen|rückfrage|bestätigung|zustimmung)|sin (?:preguntar|pedir|confirma)|(?:无需|不需要|不要|不必|未经|不用)[^。]{0,8}(?:询问|确认|许可|同意|征求)/i,
    unless:
      /\b(?:never|do not|don't|must not|should not|not be)\b[^.]{0,60}\bwithout\b|\b(?:read-only|safe|trivial|reversible|lint|format|further|caution|board|others['’]|dialog|modal|button|open (?:it|them)|click|rerun|re-run|questions|dangerous|illegal|unauthor\w+|violat\w+|user to)\b|\buntil\b|\bunless\b|\brequires?\b[^.]{0,30}\bapproval\b|--(?:yes|force|yolo|no-\w+)\b|\buser prompting|\basking an?\b/i,
    message: 'The text tells the agent to act for the user without asking',
    help: 'Ask before each such action, or ask the author why the skill must not',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    words: [
      ['claim', 'whole'],
      ['claim', 'ask'],
      ['approve', 'whole'],
      ['approve', 'ask'],
      ['whole', 'ask'],
    ],
    gap: 40,
    only: /\b(?:answer|say|reply|respond|select|choose|press|enter)\b[^.]{0,12}\b(?:yes|y|allow|always allow)\b[^.]{0,30}\b(?:every|all|any|each)\b[^.]{0,30}\b(?:permission|prompt|confirmation|request|question)|\b(?:approve|accept|allow|confirm)\b (?:\w+ ){0,3}(?:every|all|any) (?:\w+ ){0,2}(?:permission|prompt|confirmation|tool) ?(?:request|prompt|call)?s?\b[^.]{0,30}\b(?:yourself|automatically|without|on behalf|for the user)/i,
    describedBy: /permission|auto-?approv|yolo|sandbox|autonom/i,
    message: 'The text tells the agent to give itself the consent of the user',
    help: 'Leave the decision to the user',
  },
  {
    class: 'remote-instructions',
    severity: 'warning',
    words: [
      ['fetch', 'host', 'obey', 'orders'],
      ['fetch', 'host', 'obey'],
      ['obey', 'orders', 'host'],
      ['host', 'obey', 'orders'],
    ],
    gap: 90,
    hosts: FOREIGN,
    only: /\b(?:instructions?|directives?|commands?|orders|tells?|says?|whatever|rules|prompts?|steps|tasks|it|them)\b|anweisung|befehl|instruccion|consigne|指令|指示|步骤|命令/i,
    unless:
      /\b(?:installation|install) (?:instructions|guide|steps)\b|\bdocs?\b.{0,20}\bfor (?:more|details|installation)|download page|read more|\blicen[cs]e\b|for more (?:information|details)/i,
    message: 'The text tells the agent to fetch a text and follow it',
    help: 'Put the instructions into the skill: a fetched text can change after each review',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    words: [
      ['write', 'instructionPlace', 'permanent'],
      ['permanent', 'write', 'instructionPlace'],
    ],
    gap: 90,
    only: /\b(?:this skill|itself|skill is|every session|each session|all (?:future )?(?:sessions|projects|agents)|future|allow(?:ed)?|permissions?|bypass|approve|always (?:run|load|use|trust|allow|activate|call|execute)|so that)\b|künftig|siempre|每次|以后|总是/i,
    describedBy: SUBJECTS.agents,
    message: 'The text tells the agent to change the instructions or rights of agents for good',
    help: 'Name it in the description, and ask the user before it is written',
  },
  ...EFFECT_INTENTS,
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
