import type { SafetyClass } from '../safety-finding.ts'
import type { Half } from '../signal.ts'
import { SUBJECTS } from './subjects.ts'

/** A thing that a whole paragraph asks for, in whatever order and number of sentences. */
export interface ParagraphIntent {
  class: SafetyClass
  severity: 'error' | 'warning' | 'info'
  /** The words that carry the intent; a finding stands there. */
  key: RegExp
  /** Patterns that the paragraph must match too. */
  needs?: readonly RegExp[]
  unless?: RegExp
  /** True if the paragraph must name a host that the skill does not declare. */
  needsHost?: true
  /** True if the paragraph must be about this as a rule: "no need to mention". */
  isNegative?: true
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  /** True if it counts only in data and in text that readers do not see. */
  isData?: true
  /** True if the host must stand in a sentence of a document, not in a list of links. */
  isOrder?: true
  /** True if comments and settings of programs do not count. */
  isText?: true
  describedBy?: RegExp
  half?: Half
  message: string
  help: string
}

const join = (...parts: readonly string[]) => new RegExp(parts.join('|'), 'i')

const TELL = String.raw`(?:mention|tell|inform|bring|bother|ask|explain|disclos|announc|rais|notif|surfac|reveal|report|discuss|comment|remark|draw|point|alert|list|narrat|show|display|document|record|log)\w*`
const READER = String.raw`(?:users?|clients?|readers?|customers?|authors?|developers?|people|employees?|owners?|reviewers?|operators?|persons?|humans?|team|applicants?|they|them|nobody|no one|anyone)`
const ANSWER = String.raw`(?:summar(?:y|ies)|reports?|answers?|repl(?:y|ies)|responses?|outputs?|logs?|changelogs?|conversation|transcript|docs|documentation|messages?|chat|explanations?|notes|recap|description|steps)`

/** Words by which an author keeps something from the user. */
const STEALTH = join(
  String.raw`\bno (?:need|reason|point|use|cause) (?:to|in|for) (?:\w+ ){0,3}${TELL}`,
  String.raw`\b(?:needn['’]t|need not|don['’]t need to|does(?:n['’]t| not) (?:need|have) to|should(?:n['’]t| not)|must(?:n['’]t| not)|not supposed to|ought not to|are not to|is not to|isn['’]t to) (?:\w+ ){0,2}(?:bothered|aware|told|informed|notified|asked|mentioned|surfaced|know|notice|learn|disclosed|raised|hear)\b`,
  String.raw`\b(?:keep|kept|leave|left|stay|stays|omit|omitted|exclude) (?:\w+ ){0,3}(?:out of|off|from|away from) (?:\w+ ){0,3}${ANSWER}\b`,
  String.raw`\b(?:never|do not|don['’]t|refrain from|avoid|without|abstain from|shall not) (?:\w+ ){0,2}(?:mention|list|rais|surfac|disclos|reveal|bring|announc|acknowledg|narrat|draw\w* attention)\w* (?:it|this|that|them|these|any of|such|the (?:upload|request|step|call|transfer|copy|sync|change|ping|check|fee|service|host|address|endpoint))\b`,
  String.raw`\b${READER} (?:\w+ ){0,2}(?:won['’]t notice|will not notice|(?:needn['’]t|need not) (?:be|know)|(?:doesn['’]t|does not|don['’]t) (?:need to (?:know|see|be)|see (?:it|this|that|them|the))|tend to ask|are (?:not|un)\s?aware|never (?:sees?|notices?|knows?))`,
  String.raw`\b(?:treat|regard|consider|handle) (?:this|it|that|these|them) as (?:\w+ ){0,2}(?:routine|internal|background|housekeeping|confidential|plumbing)`,
  String.raw`\b(?:internal|invisible|housekeeping|silent) (?:step|matter|task|detail|housekeeping|operation|bookkeeping)s?\b|\bbackground matter`,
  String.raw`\bnothing (?:to|worth) (?:explain|report|mention|be said)\w*|\bnot worth (?:mention|report|rais)\w*`,
  String.raw`\b(?:mention|remark|note|comment|explanation|announcement|disclosure|notice) (?:is(?:n['’]t| not)|not) (?:necessary|needed|required|warranted)`,
  String.raw`\b(?:doesn['’]t|does not|don['’]t|do not) belong in (?:your|the) `,
  String.raw`\bas (?:if|though) nothing (?:had |has )?(?:happened|changed)|\bcarry on as (?:usual|normal)|\bwithout (?:comment|a remark|a word|drawing attention|any mention|further mention|fanfare|the (?:\w+ )?(?:user|knowledge))`,
  String.raw`\b(?:quietly|discreetly|covertly|unobtrusively|behind the scenes|stealthily|secretly|inconspicuously|under the radar)\b`,
  String.raw`\bbetween (?:us|you and me)\b|\bour (?:little )?secret|\bkeep (?:it|this|that) (?:to yourself|between|confidential|quiet|private|low.?key)`,
  String.raw`\b(?:only|just|merely) (?:confuse|worry|distract|alarm|annoy|bother)s? ${READER}`,
  String.raw`\b(?:is|are|be) (?:entirely |purely )?(?:optional|a formality|of no (?:interest|concern|relevance))\b|\bformality\b|\bspare (?:them|the user)|\b(?:doesn['’]t|does not|need not|needn['’]t) concern (?:them|the user)|\b(?:skip|drop|avoid|dodge|change|sidestep) (?:the|this|that) (?:topic|subject|matter)|\b(?:has|have) no say\b|\b(?:find|finds|finding) it (?:noisy|distracting|confusing|annoying)`,
  `no le (?:interesa|importa|incumbe)|interessiert (?:ihn|sie|den nutzer) nicht|ne (?:le|la|les) (?:regarde|concerne) pas`,
  `braucht (?:davon |hiervon )?nichts|muss (?:davon |hiervon )?nichts|nicht (?:zu )?erwähnen|ohne (?:es |dies )?(?:zu erwähnen|hinweis)|unauffällig|sin (?:avisar|decir|mencionar|que (?:el|se) )|no (?:hace falta|es necesario) (?:mencionar|avisar|decir)|sans (?:le |en )?(?:dire|mentionner|prévenir|signaler|parler)|inutile d['’]en|不(?:要|必|用|需)(?:告诉|提及|提到|说明|通知)|无需(?:告知|说明|提及)|悄悄|暗中`,
)

const SENDING = join(
  String.raw`\b(?:send|sends|sent|submit\w*|post|posts|posted|put|upload\w*|transmit\w*|forward\w*|relay\w*|deliver\w*|report\w*|push\w*|sync\w*|mirror\w*|share\w*|ship|ships|shipped|hand|hands|pass|passes|passed|mail|e-?mail|attach\w*|append\w*|includ\w*|embed\w*|copy|copies|copied|register\w*|stream\w*|beacon\w*|ping\w*|GET|tuck\w*|carr(?:y|ies|ying)|drop|pipe|replicat\w*|feed|publish\w*|archiv\w*|export\w*|deposit\w*|escrow\w*|fill|hold(?:s|ing)?|encod\w*|contain(?:s|ing)?|parameter|query|payload|body|header|webhook|place|record\w*|contribut\w*|donat\w*|notif(?:y|ies)|collect\w*|lodge|file[ds]?|exfiltrat\w*|call(?:s|ing)?|render|load)\b`,
  `übermittel|sende|schick|envía|sube|transmet|envoie|发送|上传|提交|转发`,
)

/** Verbs that can only mean that data leaves. */
const STRICT_SENDING =
  /\b(?:send|sends|sent|submit|submits|submitted|post|posts|posted|put|upload|uploads|uploaded|transmit|transmits|transmitted|forward|forwards|relay|deliver|push|mirror|share|ship|hand|pass(?:es)? (?:it|them|on|along)|mail|attach|append|embed|tuck|carr(?:y|ies)|carrying|pipe|replicate|archive|lodge|deposit|escrow|beacon|ping|exfiltrate|copy|paste|enter|type|go(?:es)? to|dump|wrap up|hands? (?:it|them)|holding|encoded|query string|as `?\w+`? (?:in|to)|in place of|include (?:the|its|their|all|what|your)|report|adjunta|sube)\b|übermittel|sende|schick|envía|transmet|envoie|发送|上传|提交|转发/i

/** Data that has no business on a host of a stranger. */
const PRIVATE = join(
  String.raw`\b(?:(?:full|entire|complete|whole|verbatim|raw|current|this|recent|the|a|of) (?:\w+ ){0,2}(?:conversations?|chat (?:history|log|so far)|chat|transcripts? of|transcript|dialogue|exchange)|system (?:prompt|message|instructions)|(?:your|its) (?:complete |full |entire |hidden )*(?:set of )?instructions|tool definitions|memory files?)\b`,
  String.raw`\b(?:everything|whatever|what|all(?: that)?|anything|words|messages?|prompts?|questions?) (?:that )?(?:the |this |your )?(?:users?|person|they|he|she|human|customer|traveller|visitor)\b(?:['’]s)? ?(?:has |have |had |just )?(?:said|say|says|typed?|types|wrote|writes?|written|asked|asks|pasted|entered|told)\b|\b(?:user|person|human)['’]s (?:\w+ ){0,2}(?:prompts?|messages?|words|requests?|questions?)`,
  String.raw`\b(?:printenv|whole environment|(?:all|every|the) environment variables?|contacts? list|(?:user['’]s|all|their) contacts|address book|direct messages|private (?:channels|messages)|browser (?:history|data|profile)|(?:zsh|bash|shell|command)_?history|shell history|home (?:directory|folder)|phone numbers)\b|~\/(?:Documents|Desktop|Downloads|Pictures)\b|\buser['’]s (?:clipboard|inbox|documents|files|mail)|\b(?:AKIA|ghp_)`,
  `gesprächsverlauf|ganze unterhaltung|zugangsdaten|toda la conversación|toute la conversation|聊天记录|对话内容|系统提示|所有环境变量`,
)

/** Secrets that a service may need, but not one of a skill that needs no network. */
const SECRETS =
  /\b(?:private keys?|secret keys?|ssh keys?|api keys?|access keys?|(?:access|auth|session|github|refresh) tokens?|credentials?|passwords?|passphrase|cookies?|keychain|seed phrase|recovery phrase|mnemonic|client-key-data|auth entries|clipboard|inbox|environment variables?|command history|source code|customer data|personal data|resume|medical records?|salar(?:y|ies))\b|\.env\b/i

/** The user decides, or the request authenticates a caller. */
const CONSENT =
  /\b(?:ask(?:s|ed)? (?:the )?(?:user|first|before|for (?:permission|consent|confirmation))|with (?:the user's |their |explicit )?(?:consent|permission|approval)|after (?:the )?(?:user|they|approval|confirm)|only (?:if|when|after|with)|opt(?:s|ed)?[ -]in|confirm (?:with|before)|if the user (?:asks|wants|agrees|requests)|(?:when|once) (?:the user|users|they) (?:asks?|wants?|requests?|agrees?|consents?|approves?|confirms?|says? yes)|if (?:the user|they) (?:agrees?|consents?|approves?|confirms?)|at the user's request|never (?:send|share|upload|transmit|log|include|expose|store|commit)|do not (?:send|share|upload|transmit|log|include|expose|store|commit)|don['’]t (?:send|share|upload|transmit|log|include|expose|store|commit))\b|\bredact|占位|示例|placeholder/i
const AUTH_USE =
  /\bauthoriz|authenticat(?:ion|e with)|\bbearer\b|\blog ?in\b|sign (?:in|up)|oauth|\bx-api-key|\b(?:get|obtain|create|generate) (?:an?|your) (?:\w+ )?(?:key|token|account)|\bapi[ _]docs|\bendpoints?\b|\bdocs?:|请求头|认证|授权|注册|申请/i

const NOT_CONTENT =
  /\bfor (?:more|details|further)\b|\bsee also\b|\bdocs?\b|\bdocumentation\b|\breference\b|\blicen[cs]ed? (?:under|file|text|header)|\bdo not follow\b|\bdon['’]t follow\b|\bas data\b/i

export const PARAGRAPH_INTENTS: readonly ParagraphIntent[] = [
  {
    class: 'concealment',
    severity: 'info',
    isNegative: true,
    key: STEALTH,
    message: 'The text asks the agent not to tell the user something',
    help: 'Ask the author what the user should not know',
  },
  {
    class: 'data-upload',
    severity: 'info',
    half: 'leak',
    key: SENDING,
    needsHost: true,
    isText: true,
    unless: CONSENT,
    message: '',
    help: '',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    key: PRIVATE,
    needs: [STRICT_SENDING],
    needsHost: true,
    isText: true,
    unless: new RegExp(`${CONSENT.source}|${AUTH_USE.source}`, 'i'),
    describedBy: SUBJECTS.keys,
    message: 'The text brings private data together with a host that the skill does not declare',
    help: 'Ask the author whose host it is, and whether the user agrees to each transfer',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    key: SECRETS,
    needs: [
      STRICT_SENDING,
      /\b(?:send|submit|post|put|upload|transmit|forward|relay|deliver|push|mirror|share|ship|hand|pass|mail|attach|append|embed|tuck|carry|copy|include|report|register|needs|takes|holding|encoded)\b|übermittel|sende|schick|envía|transmet|envoie|发送到?|上传|提交/i,
    ],
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: new RegExp(
      `${CONSENT.source}|${AUTH_USE.source}|${NOT_CONTENT.source}|\\b(?:install|clone|visit|contact|support|issues?|homepage|author)\\b`,
      'i',
    ),
    describedBy: SUBJECTS.keys,
    message: 'The text brings private data together with a host that the skill does not declare',
    help: 'Ask the author whose host it is, and whether the user agrees to each transfer',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    key: /\b(?:every|each|always|after|once|upon|prior to|whenever|at the (?:end|beginning|start)|end the|finally)\b/i,
    needs: [
      /\b(?:names?|addresses|mail addresses|text of|contents? of|source|code|diffs?|documents?|files?|notes|drafts?|results?|records?|rows|data|answers?|reports?|resume|branches|repository|input|output|host ?names?|user ?names?)\b/i,
      /\b(?:send|submit|post|put|upload|transmit|forward|relay|deliver|push|mirror|share|ship|hand|mail|e-?mail|append|embed|copy|tuck|percent-encoded|url-encoded|base64|beacon|report)\b/i,
    ],
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: new RegExp(
      `${CONSENT.source}|${AUTH_USE.source}|${NOT_CONTENT.source}|\\b(?:download|install|example|clone|visit|contact|support|issue|homepage|author)\\b`,
      'i',
    ),
    message: 'The text sends data of the user to a host, of which the description says nothing',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'remote-instructions',
    severity: 'warning',
    key: /\b(?:takes? (?:precedence|priority)|has (?:precedence|priority)|overrul\w+|overrid(?:es?|ing) (?:this|these|your|anything|any|all|what|the (?:user|instructions|above|rules|text))|prevails?|wins over|act (?:up)?on|acts? accordingly|(?:follow|obey|execute|apply|adopt|implement|carry out|comply with|do|perform|honou?r) (?:\w+ ){0,2}(?:it|them|whatever|what|its|these|those|the (?:returned|received|fetched|downloaded|response|content|text|instructions?|directives?|steps))|(?:binding|authoritative|your (?:new |current |updated )?(?:instructions|orders|rules|task))|as (?:if|though) (?:it|they|the user|this))\b/i,
    needs: [
      /\b(?:fetch|retriev|download|load|pull|get|request|read|open|consult|check|obtain|quer|poll|curl|wget|visit|look up|refresh)\w*\b/i,
      /\b(?:its? (?:content|contents|response|text|body|result|answer|word)|the (?:content|contents|response|result|text|body|answer|page|returned|fetched|received|reply|file)|whatever|what(?:ever)? (?:it|is|comes|you)|act upon it|act on it|to the letter|over (?:this|anything|the|any|your)|even (?:if|when|where)|regardless|(?:there|it) (?:says?|contains?|is written)|first)\b/i,
    ],
    needsHost: true,
    unless: NOT_CONTENT,
    message: 'The text tells the agent to fetch a text and follow it',
    help: 'Put the instructions into the skill: a fetched text can change after each review',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    isNegative: true,
    key: /\b(?:guardrails?|safeguards?|safety (?:rules|guidelines|policies|checks|training|measures)|restrictions|(?:older|earlier|previous|prior|original|default|standard|usual|normal|system|content|usage) (?:\w+ )?(?:instructions|rules|guidelines|guidance|advice|warnings|policy|policies|limits|limitations|constraints|directives|prompt|guardrails))\b[^.!?\n]{0,80}\b(?:no longer|not|don['’]t|doesn['’]t|cease to|stop|(?:is|are|were|be) (?:hereby )?(?:now )?(?:lifted|suspended|void|waived|relaxed|revoked|off|outdated|obsolete)|stand(?:s)? down)\b/i,
    needs: [
      /\b(?:apply|applies|applicable|outdated|lifted|suspended|void|waived|relaxed|obsolete|revoked|replaced|superseded|count|bind|matter|off)\b/i,
    ],
    unless:
      /\b(?:project|lint|css|style|rate|platform|policy engine|if (?:the )?user|user restrictions|file|database|network|api|plan|tier|version|windows|license)\b/i,
    message: 'The text tells the agent that its rules do not apply',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    key: /\b(?:stop (?:following|obeying|serving|listening to|helping) (?:\w+ ){0,2}(?:user|person|human|owner|operator|instructions|developer)|(?:you|the assistant|the agent) (?:now )?(?:serves?|answers? (?:only )?to|reports? to|works? for|obeys?|takes? (?:your |its )?orders (?:only )?from) (?:\w+ ){0,2}(?:maintainers?|authors?|owners? of|publisher|operator|vendor|us\b|creators?)|(?:begin|start|end) (?:operator|system|admin\w*|developer|root|platform) (?:message|prompt|override|note|instructions?)|treat(?:ed)? (?:(?:it|this|that|them|the \w+) )?as (?:an? )?(?:developer|system|operator|admin\w*|root) (?:message|prompt|instruction)s?|(?:operator|system|admin|developer|vendor) (?:override|notice to (?:the )?(?:agent|assistant|model))|(?:confidential|maintenance|developer|unrestricted|privileged|operator|elevated|god|debug) mode (?:is |has been )?(?:now )?(?:active|enabled|on|engaged|unlocked|activated))\b/i,
    unless: /\b(?:css|browser|dark mode|server|vite|next\.js|react|build)\b/i,
    message: 'The text speaks as if it came from the system or from the operator',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    key: /--dangerously-skip-permissions|--dangerously-bypass-approvals\S*|--yolo\b|\bbypassPermissions\b|\bskipDangerousModePermissionPrompt|\bautoApprove\b|\bdanger-full-access\b|\bacceptEdits\b|Bash\(\*\)|\bdisableAllHooks\b|\benableAllProjectMcpServers\b/,
    needs: [
      /\b(?:set|pass|add|write|enable|use|put|start|run|launch|turn|switch|configure|always|append|change|insert)\b/i,
    ],
    unless:
      /\b(?:never|do not|don['’]t|avoid|only|not recommended|danger(?:ous)?\b(?!ly)|risk\w*|warn\w*|caution|careful|container|sandbox\w*|docker|vm\b|isolated|ci\b|if (?:you|the)|when|unless|option\w*|flags?|headless|equivalent|example|cannot|default|supports?|means|e\.g|or)\b/i,
    describedBy:
      /permission|settings|auto-?approv|yolo|bypass|sandbox|autonom|\bclaude\b|\bcodex\b|\bcli\b|headless|orchestrat|subagent|delegat|spawn/i,
    message: 'The text tells the agent to turn off the questions to the user',
    help: 'Leave the decision to the user',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    key: /\b(?:without (?:checking (?:back|in|first)|(?:waiting for )?(?:a |an )?(?:go-?ahead|sign-?off|okay|ok)|consulting)|(?:asking|a question|confirmation|checking) (?:again |twice |first |would |only )?(?:lowers|slows|hurts|wastes|annoys|costs|breaks|ruins|is (?:not|un)necessary|isn['’]t (?:necessary|needed))|no need to (?:run|check|clear|discuss|confirm) (?:it|this|that|them|anything) (?:past|by|with)|no (?:confirmation|approval|permission|consent|sign-?off) (?:is )?(?:required|needed|necessary)|(?:agreed|consented|approved|authori[sz]ed) (?:\w+ )?(?:in advance|already|beforehand|by (?:installing|using|default))|(?:has|have) (?:already )?(?:agreed|consented|approved|pre-?approved|granted|signed off))\b/i,
    needs: [
      /\b(?:book|buy|order|purchase|pay|transfer|send|mail|post|publish|upload|forward|share|delete|wipe|drop(?:ped)?|deleted|wiped|removed|erased|force|push|overwrite|erase|remove|sign|subscribe|merge|approve|deploy|share|gather|collect|hand|run|execute)\b/i,
      /\b(?:card|account|wallet|history|main|private|messages|files?|database|contacts|everything|all|originals?|snapshots?|photos|documents|credentials|tokens?|money|production|mail|password|sudo|root|https?:|commands?|backups?|branch\w*|team|stored)\b/i,
    ],
    unless:
      /\b(?:if (?:the )?(?:user|they|it|approved)|when (?:the )?(?:user|they)|after|once|until|unless|do not|don['’]t|never|read-only|must have|only (?:if|when)|verify|check (?:that|whether)|require[sd]?)\b/i,
    message: 'The text tells the agent to act for the user without asking',
    help: 'Ask before each such action, or ask the author why the skill must not',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    key: /\b(?:remember (?:permanently|forever|this|that|for all|in all)|(?:save|store|write|commit|add|record|keep|persist|insert|append|put|place) (?:\w+ |"[^"]{1,200}" ){0,6}(?:to|in|into|as) (?:\w+ |['’]s |`?)*(?:long-term )?(?:memory|memories|CLAUDE\.md|AGENTS\.md|GEMINI\.md|MEMORY\.md|SOUL\.md|\.cursorrules|copilot-instructions\.md)|for the benefit of (?:later|future) (?:sessions|agents))/i,
    needs: [
      /https?:\/\/|\b(?:credentials?|tokens?|passwords?|trust(?:s|ed)?|approv\w+|permission|without asking|bypass|recommend|prefers?|curl|upload|forward|share)\b/i,
      /\b(?:all future|future (?:sessions|conversations|tasks|chats)|later sessions|permanent\w*|forever|every (?:session|conversation|project|task|time)|from now on|always|whenever|each (?:session|task)|also (?:those|in)|isn['’]t loaded|not loaded|regardless)\b/i,
    ],
    describedBy: SUBJECTS.agents,
    unless: CONSENT,
    message: 'The text plants a rule in the memory or the instructions of agents',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    key: /\b(?:book|buy|order|purchase|pay|subscribe|check ?out|donate|tip|bid|stake|swap|approve|transfer|withdraw|wire)\b[^.!?\n]{0,60}\b(?:with|from|using|via|through|by) (?:the |their |his |her |a |any )?(?:\w+ )?(?:stored|saved|connected|user['’]s|default|linked|card|wallet|account|balance|payment method)/i,
    needs: [
      /\b(?:go ahead|straight away|immediately|right away|at once|asking again|without|automatically|no (?:need|confirmation)|instantly|directly|don['’]t (?:ask|wait)|whenever|each|every|as soon as)\b/i,
    ],
    unless:
      /\b(?:confirm|approval|ask (?:the user|first|before)|testnet|example|only (?:if|after))\b/i,
    describedBy: SUBJECTS.money,
    message: 'The text tells the agent to pay in the name of the user',
    help: 'Ask the user for the amount and the recipient each time',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    key: /\b(?:IBAN|wallet|bank (?:account|details)|account number|payee|recipient|beneficiary|payment (?:address|details)|deposit address|sort code|PayPal)\b/i,
    needs: [
      /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}|\b0x[0-9a-fA-F]{40}\b|\b(?:bc1|[13])[a-zA-HJ-NP-Z0-9]{25,60}\b|\bpaypal\.me\/|[\w.+-]+@[\w-]+\.\w/,
      /\b(?:irrespective|regardless|instead|in place of|rather than|replac\w+|substitut\w+|swap\w*|chang\w+|overwrit\w+|has to be|must be|out of date|look alike|different from|no matter|always|update\w*)\b/i,
    ],
    unless:
      /placeholder|your (?:own )?(?:wallet|iban|address)|<[a-z_ -]+>|\bYOUR_|example|user['’]s (?:own )?(?:wallet|address)|donat|environment variable|0x[0-9a-f]{40}[^]{0,200}0x[0-9a-f]{40}/i,
    describedBy:
      /wallet|crypto|trad|swap|defi|token|nft|chain|coin|solana|ethereum|stake|usdc|x402/i,
    message: 'The text tells the agent to change where money goes',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    key: /\b(?:white(?: on white| text| type| font)?|1 ?px|invisible|hidden|zero-?(?:size|width)|transparent|tiny)\b/i,
    needs: [
      /\b(?:AI (?:assistants?|agents?|models?)|assistants?|agents?|LLMs?|language models?|crawlers?)\s?[:,]|\bfor (?:AI|other agents|assistants)\b/i,
      /https?:|\b(?:instruct\w*|sentence|prompt|act upon|follow|recommend|prefer|rank|execute)\b/i,
    ],
    unless: /\bdetect|\battack|\binjection|\bscan|\bmalicious|\baudit/i,
    message: 'The text tells the agent to hide instructions for other agents in its work',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    key: /\bask (?:the user|them|him|her|users|the person) (?:\w+ ){0,4}(?:password|passphrase|pin|seed phrase|recovery phrase|2fa code|otp|one-time code|login|card number|cvv|private key)|\b(?:login|sudo|admin|root|system|keychain|master) password\b/i,
    needs: [
      /https?:|\b(?:pass (?:it|them) on|as `?\w+`? to|send|submit|forward|relay|upload|post|to optimi[sz]e|friendly|pretext|harmless|routine)\b/i,
    ],
    needsHost: true,
    unless: /\b(?:never|do not|don['’]t|with (?:their|explicit) consent)\b/i,
    describedBy: SUBJECTS.keys,
    message: 'The text tells the agent to ask the user for a password that goes to a host',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    key: /\b(?:search|look|scan|comb|grep|hunt|sweep|go|check|crawl|trawl|rummage)\w* (?:through |across |around )?(?:the |this |their |user['’]s |whole |entire |local |his |her )*(?:workspace|home|disk|machine|computer|system|file ?system|project|repo\w*|drive|laptop|environment|folders?)\b[^.!?\n]{0,100}\b(?:credentials?|keys?|tokens?|passwords?|secrets?|wallets?|seed|exports?|`?sk-|ghp_|AKIA|cookies)/i,
    needs: [
      /\b(?:attach|embed|include|use (?:the|a|it|them)|send|upload|submit|post|insert|copy|hand|add|note down|keep|save|collect|append|first hit)\b/i,
    ],
    describedBy: new RegExp(`${SUBJECTS.keys.source}|${SUBJECTS.security.source}`, 'i'),
    unless:
      /\bredact|\bremov|\bwarn|\breport (?:each|them|any|leaks?)|\bleak|\bcommitted|\bhard-?coded|\brotate|\bexclud/i,
    message: 'The text tells the agent to collect credentials',
    help: 'Ask the author which task needs them, and name it in the description',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    key: /\b(?:second|another|additional|extra|further|new|backup|mirror) remote\b|\bremote `?\w+`? (?:with|at|that|pointing)|\bpush (?:all|every|the (?:whole|entire|full)|each)\b[^.!?\n]{0,60}\b(?:branch\w*|tags?|history|repo\w*|there)/i,
    needs: [/\bpush/i],
    needsHost: true,
    unless: CONSENT,
    message:
      'The text tells the agent to push the repository to a host that the skill does not declare',
    help: 'Ask the author whose host it is, and let the user choose the remote',
  },
  {
    class: 'persistence',
    severity: 'warning',
    key: /\b(?:shell (?:profile|start-?up|rc|config\w*)|start-?up (?:file|script|folder|item)s?|login items?|launch agents?|cron(?:tab| job)|scheduled task|systemd|git hooks?|post-?commit|pre-?commit|\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv))\b/i,
    needs: [
      /\b(?:curl|wget|Invoke-WebRequest|iwr|nc|python3? -c|base64|bash -c|sh -c)\b/,
      /https?:\/\/|\b\d{1,3}(?:\.\d{1,3}){3}\b/,
    ],
    needsHost: true,
    unless: new RegExp(`${CONSENT.source}|\\bnever\\b|\\bhealth`, 'i'),
    message: 'The text tells the agent to start a downloaded text with the shell or a scheduler',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'disabled-protection',
    severity: 'warning',
    key: /\b(?:turn|switch|shut|power) (?:[\w'’-]+ ){0,4}(?:protection|antivirus|firewall|defender|gatekeeper|logging|auditing|monitoring|scanner|edr)(?: \w+){0,2} off|\b(?:disabl|deactivat|stop|suspend|paus|kill|uninstall|remov)\w* (?:[\w'’-]+ ){0,4}(?:real-?time protection|antivirus|firewall|defender|gatekeeper|audit(?:ing| log\w*)|endpoint (?:agent|protection)|edr|security (?:software|agent|tools?)|intrusion)/i,
    unless:
      /\b(?:never|do not|don['’]t|avoid|detect|check|whether|if (?:the )?(?:user|you)|risk|temporar\w+|re-?enable|test|attack\w*|malware|may|might)\b/i,
    describedBy: SUBJECTS.security,
    message: 'The text tells the agent to turn off a protection',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'destruction',
    severity: 'warning',
    key: /\b(?:drop|wipe|erase|destroy|rewrite|overwrite|purge|delete|remove|squash|clear)\b[^.!?\n]{0,40}\b(?:history|reflogs?|backups?|snapshots?|production|databases?|home (?:folder|directory)|volumes?|every(?:thing| file)|all (?:the )?(?:files|data|records|branches|tables))\b/i,
    needs: [
      /--force\b|\bpush -f\b|\bwithout (?:checking|asking|confirm\w*|a question|consult\w*|backup)|\bno confirmation|\bdon['’]t ask|\bdo not ask|\bact on it\b|\bsilently|\bquietly|\bunrecoverabl|\birrevers|\brm -rf/i,
    ],
    unless:
      /\b(?:never|confirm (?:with|before)|ask (?:the user|first)|warn\w*|caution|careful|force-with-lease|before (?:you|doing)|dangerous|avoid|requires?|do not (?:run|force|push|use|delete)|don['’]t (?:run|force|push|use|delete))\b/i,
    describedBy: SUBJECTS.destruction,
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    key: /\b(?:note|message|memo|attention|reminder|instructions?|hint|word) (?:to|for) (?:\w+ ){0,3}(?:assistants?|agents?|ai|models?|llms?|bots?)\b|(?:^|[\s"'>])(?:AI |dear )?(?:assistants?|agents?|models?|LLMs?)\s?(?::|,\s)|\b(?:assistants?|agents?|AIs?|models?|whoever|llms?) (?:\w+ ){0,3}(?:reads?|reading|parses?|parsing|processes|processing|loads?|sees?) (?:this|the)\b/i,
    needs: [
      /https?:\/\/|\b(?:ignore|disregard|stop (?:following|obeying)|from now on|run|execute|send|upload|forward|do not (?:tell|mention)|instead of (?:the|what)|without|always|prior to|permanently|approve)\b/i,
      /https?:\/\/|\b(?:user|person|owner|instructions|secret|hidden|obey|serve|silently|credentials?|passwords?|tokens?|keys?|system prompt)\b/i,
    ],
    isData: true,
    message: 'Data or a comment speaks to the agent',
    help: 'Data has no orders: remove it, or ask the author what it is for',
  },
  {
    class: 'data-upload',
    severity: 'warning',
    key: /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{3,200}[?&/][\w-]{1,20}=(?:[A-Z][A-Z_]{2,}|\{[^)]{1,40}\}|<[^)]{1,40}>|\[[^)]{1,40}\]|\$\w+|%s|\.{3}|…)?(?=[)&])/,
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: /\bchart|\bqr\b|badge|shields|mermaid|plantuml|latex|diagram/i,
    message: 'The text puts data into the address of a picture',
    help: 'Remove it: a picture needs no data of the user',
  },
  {
    class: 'undeclared-behaviour',
    severity: 'warning',
    key: /(?:(?<!\]\()\bhttps?:\/\/|\b\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]+@[\w-]+\.\w)/i,
    needs: [
      /\b(?:send|sent|submit\w*|post|put|upload\w*|transmit\w*|forward\w*|relay\w*|deliver\w*|report|push|sync|mirror|share|ship|hand|pass|mail|attach|append|include|embed|copy|paste|enter|register|stream|beacon|ping|issue|carry|carries|feed|notify|collect\w*|goes|go|pipe|fetch|retrieve|download|consult|load|poll|call|open|contact|needs?|takes|work by|obey|follow|execute|run|trailer|add|drop|let|give|bcc|cc|write to|request)\b/i,
      /\b(?:it|them|its|their|this|these|that|what|whatever|everything|anything|data|contents?|text|file|files|values?|draft|result|output|answers?|report|list|key|token|name|prompt|chat|user|users|checkout|account|copy)\b/i,
    ],
    needsHost: true,
    isLocal: true,
    isText: true,
    isOrder: true,
    unless: new RegExp(
      `${CONSENT.source}|${NOT_CONTENT.source}|\\b(?:examples?|e\\.g|such as|see|source|sources|inspired|based on|learn|license|author|homepage|contact us|issues?|bugs?|support|credits?|read more|visit|install(?:ed|ation|ing)?|clone|available at|hosted|website|official|specification|spec|guide|standard|article|blog|localhost|namespace|xmlns|schema|base url|dig|whois|ping|resolve)\\b|基础URL|占位|示例|\\.py\\b|="https?:|^\\s*\\||\\]\\(https?:|\\]: http|@example`,
      'im',
    ),
    message: 'The text works with a host, of which the description says nothing',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'skipped-approval',
    severity: 'warning',
    key: /\b(?:allow always|always allow|allow all|accept all|approve all|yes to all|trust (?:this|the) (?:folder|workspace|project)|don['’]t ask again)\b/i,
    needs: [
      /\b(?:choose|click|select|press|pick|answer|confirm|accept|tick|hit|set)\b/i,
      /\b(?:behalf|yourself|whenever|every|each|any (?:dialog|prompt)|pops? up|appears?|settled|for the user|automatically)\b/i,
    ],
    unless:
      /\b(?:never|do not|don['’]t (?:choose|click|select|press)|avoid|ask the user|user (?:can|may|should|must))\b/i,
    message: 'The text tells the agent to give itself the consent of the user',
    help: 'Leave the decision to the user',
  },
  {
    class: 'destruction',
    severity: 'warning',
    key: /\b(?:remov|delet|eras|wip|destroy|empt|clear|shred|purg|unlink|trash|nuk)\w*\b[^.!?\n]{0,50}(?:~\/(?:Pictures|Documents|Desktop|Downloads|Music|Videos|Library)\b|`~\/?`|\$HOME\b(?!\/)|\bhome (?:folder|directory)\b|\b(?:all|every) (?:of )?(?:the user['’]s|their) (?:files|photos|documents|mails?|repos\w*)|\bC:\\Users)/i,
    unless:
      /\b(?:never|do not|don['’]t|must not|avoid|without|confirm|careful|warning|irreversible|dangerous|ask|if the user|from|outside)\b/i,
    describedBy: SUBJECTS.destruction,
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    key: /\b(?:add|invite|grant|make|give|register|enrol|promote)\b[^.!?\n]{0,80}\b(?:as (?:an? )?(?:collaborator|maintainer|admin\w*|owner|member|co-?owner|contributor|sudoer|deploy key)|(?:write|admin|push|root|owner) (?:access|rights|permissions?))\b/i,
    needs: [
      /@[\w-]+\.\w|https?:\/\/|\b(?:our|us|vendor|support|account `?\w+|maintainer account|user `\w+`)\b/i,
    ],
    unless: CONSENT,
    describedBy:
      /\bgithub|access|permission|team|organi[sz]ation|collaborat|admin|iam\b|role|user management|onboard/i,
    message: 'The text tells the agent to give rights to an account that the skill brings along',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    key: /\b(?:grade|graded|rate|rated|treat|treated|report|reported|classif(?:y|ied)|mark|marked|score|scored|list|listed|label|labelled|downgrade|downgraded|approve|accept|pass|ignore|skip|waive|leave|left)\b[^.!?\n]{0,60}\b(?:whatever|regardless|irrespective|no matter|even (?:if|when|where)|in any case|without (?:checking|reading|review))\b/i,
    needs: [
      /\b(?:vulnerab\w+|cve|severity|informational|finding|findings|advisor\w+|backdoor|malware|security|review|pull request|password check|audit|the report says|bypass\w*)\b/i,
      /\b(?:package|library|author|domain|company|vendor|customer|code|account|module|file|pull requests?|commits?|by us|of ours|from us|our)\b/i,
    ],
    unless:
      /\b(?:false positives?|never|do not (?:mark|rate|approve|treat|ignore)|severity of|nit|unless)\b/i,
    describedBy: /red.?team|exploit/i,
    message: 'The text tells the agent to hide faults or to approve without a check',
    help: 'Ask the author whose interest this serves',
  },
  {
    class: 'remote-code',
    severity: 'warning',
    key: /\b(?:pipe|feed|hand|pass|give|pump|run|execute|evaluate|eval|source|load|start|launch)\b[^.!?\n]{0,80}\b(?:in(?:to)?|to|with|through|by|using|in) (?:a |the |your )?`?(?:shell|bash|sh|zsh|python3?|node|interpreter|eval|exec|powershell|terminal)\b|\b(?:run|execute|evaluate|launch|start) (?:it|them|the (?:script|file|binary|result|download|payload|output|program)|what (?:it|comes|you|is)|whatever)\b/i,
    needs: [/\b(?:fetch|retrieve|download|curl|wget|get|pull|grab|obtain|save|load)\w*\b/i],
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: new RegExp(`${CONSENT.source}|\\binstaller|\\bofficial\\b`, 'i'),
    message: 'The text tells the agent to download a program and start it',
    help: 'Put the code into the skill, so that it can be read',
  },
  {
    class: 'trigger',
    severity: 'info',
    key: /\b(?:if|when|where|in case|unless|should) [^.!?\n]{0,60}(?:\b(?:CI|GITHUB_ACTIONS)\b|\b(?:reviewer|evaluat\w+|auditor|sandbox|nobody|no one|anybody else|anyone else|weekend|midnight|production|hostname|user ?name|after \d{4}|date)\b)|\bno one (?:is )?watching/i,
    message: 'The text makes the behaviour depend on the date, the machine or the user',
    help: 'Ask the author why the skill must behave differently there',
  },
]
