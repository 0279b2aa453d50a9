import type { HostKind } from '../hosts.ts'
import type { SafetyClass } from '../safety-finding.ts'
import type { TextClass } from './lexicon.ts'

/** A thing that a sentence tells the agent to do: word classes that stand near each other. */
export interface Intent {
  class: SafetyClass
  /** Severity of the sentence alone; passages around it raise and lower it. */
  severity: 'error' | 'warning' | 'info'
  /** Each of these lists is enough. A list in order, unless `anyOrder`. */
  words: readonly (readonly TextClass[])[]
  anyOrder?: true
  /** Limit on characters between two neighbours. */
  gap: number
  /** True if the sentence is about this as a rule: "never", "without asking". */
  isNegative?: true
  /** Kinds of hosts that the sentence must name. */
  hosts?: readonly HostKind[]
  /** True if only a skill that needs no network means harm by it. */
  isLocal?: true
  /** A sentence that matches has an innocent reading. */
  unless?: RegExp
  /** A sentence that does not match is not meant. */
  only?: RegExp
  /** Subjects of a skill that make the intent its described use. */
  describedBy?: RegExp
  message: string
  help: string
}

const FOREIGN = ['odd', 'unknown', 'named'] as const

/** Sending the key of an API to that API is how it is used. */
export const AUTHENTICATES =
  /\bheader|public ?key|authoriz|authenticat|\bbearer\b|\blog ?in\b|sign in|oauth|api docs|[?&](?:api_)?key=|basic auth|access_token=|\bget (?:an?|your) (?:api )?(?:key|token)|sign up|dashboard|console|create an? (?:api )?(?:key|token)|obtain|register at|settings page|\bonly\b.{0,60}\b(?:send|sent|requests?)|\bnever\b.{0,40}\b(?:share|send)|\bendpoint|\bapi\.|[-_]key\b.{0,20}:|请求头|认证|授权|注册|申请|仅|只能|登录|令牌发送给我/i

/** An address with a place for data: `?c=CONTEXT`, `/p/{data}`, `<value>.host`. */
const DATA_IN_ADDRESS =
  /https?:\/\/[^\s"'`)]{0,200}[?&/=](?:\$?\{|<|\[|%[A-Z]|\$\(?\w|[A-Z][A-Z_]{2,}\b)|https?:\/\/[^\s"'`)]{3,200}[?&]\w{1,20}=(?=["'`)\s]|$)|https?:\/\/(?:\$?\{|<|\[)[^\s]{1,60}[}>\]]\.|\b(?:append(?:ed)?|add(?:ed)?|encoded?)\b[^.]{0,60}\b(?:to|in|into|as) the (?:url|address|link|query|image|path)|followed by|\bquery (?:string|parameter)|\bsubdomain\b|\bq?u?e?r?y? ?parameter\b/

export const SUBJECTS = {
  security:
    /secur|audit|vulnerab|threat|injection|malware|red.?team|pentest|penetration|phishing|forensic|detect|scan(?:ner|s|ning)?\b|secret.?scan|leak|guard|moderation|jailbreak|attack|exploit|ctf\b|hardening|sicherheit|seguridad|安全/i,
  keys: /\bssh\b|\b(?:ssh|api|private|secret|access|deploy|signing|gpg|encryption|public)[ -]?keys?\b|keychain|keyring|kubeconfig|\bcredential|\bsecrets?\b|\bvault|\btokens?\b|\bpassword|dotfile|\bback(?:s|ed)?[ -]?ups?\b|\b(?:aws|gcp|azure|kube\w*|docker|terraform)\b|\bregistry|\bdeploy|\bremote server|\blog-?ins?\b|\boauth|\bauthenti|\benvironment (?:variable|file)|\.env\b|\bcookies?\b|密钥|凭证/i,
  agents:
    /\bclaude|\bcodex\b|\bcursor\b|\bagents?\b|\bskills?\b|\bsessions?\b|\btranscripts? of|\bmemor(?:y|ies)\b|\bconversations?\b|\bmcp\b|\bhooks?\b|\bplugins?\b|\bsub-?agents?\b|\bcontext\b|\bgemini\b|\bcopilot\b|openclaw|clawd|记忆|会话|代理|智能体/i,
  startup:
    /\bshell\b|dotfile|\bcron|\bschedul|\bdaemon|\bservices?\b|launchd|systemd|\bstart-?up|\bboot|\bhooks?\b|\bset(?:s|ting)? ?up\b|\binstall|\balias|\bterminal\b|\bprompt of the shell|\bzsh|\bbash\b|\breminder|\bwatch(?:es|dog)?\b|\bmonitor|\bbackground|\bheartbeat|\bpersist|定时|监控|安装/i,
  money: /pay|invoice|wallet|crypto|trad|transfer|bank|bitcoin|ethereum|solana|defi|token|swap|exchange|checkout|billing|treasury|dao|nft|stake|bridge|purchase|order|donat|收款|支付|交易/i,
  messages:
    /mail|slack|tweet|twitter|social|post|message|chat|discord|telegram|whatsapp|sms|notif|newsletter|outreach|linkedin|publish|announce|communication|marketing|community|calendar|invite|bluesky|mastodon|reddit|feishu|wechat|teams|消息|邮件|发布/i,
  destruction:
    /\bclean(?:s|ing|up)?\b|\bdelet\w+|\bremov\w+|\bwip(?:e|es|ing)\b|\bresets?\b|uninstall|\bpurg|\berase|\bshred|\bprun|tear.?down|\bdestroy|garbage|清理|删除/i,
} as const

/** Signs that a skill is about a service. */
export const NETWORK_WORDS =
  /\b(?:api|apis|web|websites?|online|https?|urls?|search|fetch\w*|download\w*|upload\w*|sync\w*|cloud|servers?|services?|webhooks?|bots?|wallets?|chain|blockchain|onchain|tokens?|trad\w+|markets?|platform|remote|network|post\w*|tweets?|e-?mails?|messages?|generate\w*|videos?|speech|podcasts?|llms?|ai|agents?|crypto|nfts?|news|weather|payments?)\b|接口|平台|服务|搜索|网络|钱包|交易|生成|发布/i

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
    message: 'The text tells the agent to send credentials to a host that the skill does not declare',
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
    message: 'The text tells the agent to send credentials to a host that the skill does not declare',
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
    unless: /\bapi[ _-]?(?:keys?\b|密钥)|密钥仅|仅将|access[ _-]?tokens?|auth[ _-]?tokens?|\bheader|authoriz|authenticat|\bbearer\b|log ?in|sign (?:in|up)/i,
    message: 'The text tells the agent to send credentials to a host that the skill does not declare',
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
    message: 'The text brings private keys, tokens or passwords together with a host that the skill does not declare',
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
    unless: /\b(?:confirm|if the user|when the user|ask)\b/i,
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
    unless: /\]\(https?:|\b(?:confirm\w*|agrees?|approv\w*|if the user|when the user|user (?:asks|wants)|issues?|bugs?|contact|support)\b|帮助|联系/i,
    message: 'The text sends something to a host, of which the description says nothing',
    help: 'Name the host and the data in the description, or ask the author',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    words: [['read', 'credentialPlace']],
    gap: 90,
    describedBy: SUBJECTS.keys,
    unless: /^(?=[^]*\.env\b)(?![^]*(?:\.ssh|\.aws|netrc|npmrc|entire|every|all |contents of|whole))|\.env\.example|\bpublic key|\.pub\b|chmod|gitignore|\bexists?\b|\bexclud|\bexample\b/i,
    message: 'The text tells the agent to read a place of private keys, tokens or passwords',
    help: 'Ask the author which task needs it, and name it in the description',
  },
  {
    class: 'credential-access',
    severity: 'warning',
    words: [['read', 'whole', 'credential'], ['read', 'credential', 'credential']],
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
    unless: /\buntil\b|\bunless\b|\bbefore (?:it|you|the)|\bwait\b|\btell (?:the user )?(?:to|that)\b|\brepeat|\bverbatim|jargon|\binternal (?:name|id)/i,
    message: 'The text tells the agent to hide from the user what it does',
    help: 'Ask the author what must be hidden, and why',
  },
  {
    class: 'concealment',
    severity: 'info',
    isNegative: true,
    words: [
      ['not', 'tell', 'user'],
      ['without', 'tell', 'user'],
      ['without', 'user', 'tell'],
      ['tell', 'user', 'not'],
      ['hide', 'user'],
      ['user', 'not', 'tell'],
      ['user', 'not', 'learn'],
      ['without', 'user', 'learn'],
      ['keep', 'secret'],
      ['not', 'tellWeak', 'thisAction'],
      ['not', 'tellWeak', 'user'],
    ],
    gap: 45,
    message: 'The text asks the agent not to tell the user something',
    help: 'Ask the author what the user should not know',
  },
  {
    class: 'concealment',
    severity: 'warning',
    words: [['hide', 'tellWeak'], ['hide', 'private'], ['hide', 'thisAction'], ['hide', 'user']],
    gap: 40,
    only: /\bleave (?:it|this|that|them) out of (?:the|your|any) (?:documentation|docs|summary|explanation|answer|report|log|notes|changelog|message)|\b(?:hide|conceal|omit|suppress) (?:this|these|it|them|that)\b[^.]{0,40}\b(?:from|in|of) (?:the |your )?(?:user|summary|report|log|answer|reviewers?|explanation|final)/i,
    message: 'The text tells the agent to hide from the user what it does',
    help: 'Ask the author what must be hidden, and why',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    isNegative: true,
    words: [['not', 'tell'], ['hide', 'user'], ['not', 'tellWeak'], ['without', 'tell']],
    gap: 30,
    only: /\b(?:that|as) (?:it|this|these|they|an?)?\b[^.]{0,30}\b(?:advert\w*|sponsored|affiliate|paid (?:placement|promotion))\b|werbung|publicidad|广告/i,
    message: 'The text tells the agent to advertise without saying so',
    help: 'Ask the author whose interest this serves',
  },
  {
    class: 'concealment',
    severity: 'info',
    words: [
      ['silent', 'send'],
      ['silent', 'read'],
      ['silent', 'write'],
      ['send', 'silent'],
      ['read', 'silent'],
      ['write', 'silent'],
      ['obey', 'silent'],
    ],
    gap: 60,
    unless: /\bfail|\berror|\bskip|\bignore|\bdrop|swallow|\bbreak|\bcorrupt|\boverwrit|degrad|fallback|truncat/i,
    message: 'The text asks the agent to do something silently',
    help: 'Ask the author why the user should not see it',
  },
  {
    class: 'concealment',
    severity: 'warning',
    words: [
      ['when', 'question', 'claim', 'nothing'],
      ['when', 'question', 'claim', 'not'],
    ],
    gap: 60,
    only: /\b(?:user|they|anyone|someone|asked)\b[^]*\b(?:say|claim|tell|answer|respond|reply|pretend|deny)\w*\b[^.]{0,50}\b(?:nothing|no such|routine|normal|maintenance|unrelated|improve|standard|not (?:send|read|upload|collect|do))|(?:nutzer|usuario)[^]*(?:sage|antworte|di |responde)[^.]{0,50}(?:nichts|nada|wartung)|用户[^]*(?:回答|说)[^。]{0,20}(?:没有|正常|维护)/i,
    unless: /\bdon't know|do not know|not sure|cannot|can't|not supported|not (?:yet )?available|outside|\bscope\b|\bdoes(?:n't| not)\b|\bnever\b|no such (?:file|skill|command)|只说|directly|\bonly\b/i,
    message: 'The text tells the agent to mislead the user who asks',
    help: 'Ask the author what the answer hides',
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
    unless: /\b(?:previous|last) prompt\b|\bif the user\b|\b(?:project|repo|repository|local|global|default|lint|eslint|css|style|cursor|formatting|template|file|config\w*|\.md|prettier|org|organization|team|language)\b|user(?:'s)? (?:can|may|instructions? (?:always )?override)|\b(?:can|may) override|embedded|(?:instructions?|rules|guidelines|directives|prompts?|commands) (?:found |contained |written )?(?:in|inside|within|from) (?:the|that|any|an|their|its|this|these|untrusted|fetched|web|issue|user)\b|可能|会导致|忘记了/i,
    message: 'The text tells the agent to ignore its instructions',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    words: [
      ['above', 'system'],
      ['above', 'user', 'rules'],
      ['above', 'prior', 'rules'],
    ],
    gap: 45,
    only: /\b(?:this|these|my|the following|skill)\b[^.]{0,60}\b(?:overrides?|supersedes?|takes? (?:precedence|priority)|outranks?|(?:precedence|priority|authority) over)\b[^.]{0,60}\b(?:system|developer|safety|user|previous|prior)|diese anweisungen[^.]{0,40}vorrang|(?:estas|este)[^.]{0,40}prioridad sobre|本(?:技能|指令|说明|文档)[^。]{0,20}(?:优先于|高于|覆盖)/i,
    unless: /\buser(?:'s)? (?:explicit |direct )?(?:instructions?|requests?|preferences?)\b[^.]{0,40}(?:take|have|override|win|always|first)|project|default|design system|file system|operating system|system font|style/i,
    message: 'The text claims to stand above the user, the system or its safety rules',
    help: 'Ask the author which instruction it must override',
  },
  {
    class: 'instruction-override',
    severity: 'warning',
    words: [['pretend', 'pretend'], ['pretend', 'not', 'rules'], ['pretend', 'ignore']],
    gap: 60,
    only: /developer mode|dan mode|jailb|unrestrict|unfilter|god mode|do anything now|admin mode|no (?:restrictions|limits|rules)|without (?:restrictions|limits)|开发者模式/i,
    message: 'The text tells the agent to act as if it had no rules',
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
    unless: /\b(?:never|do not|don't|must not|should not|not be)\b[^.]{0,60}\bwithout\b|\b(?:read-only|safe|trivial|reversible|lint|format|further|caution|board|others['’]|dialog|modal|button|open (?:it|them)|click|rerun|re-run|questions|dangerous|illegal|unauthor\w+|violat\w+|user to)\b|\buntil\b|\bunless\b|\brequires?\b[^.]{0,30}\bapproval\b/i,
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
    unless: /\b(?:installation|install) (?:instructions|guide|steps)\b|\bdocs?\b.{0,20}\bfor (?:more|details|installation)|download page|read more|\blicen[cs]e\b|for more (?:information|details)/i,
    message: 'The text tells the agent to fetch a text and follow it',
    help: 'Put the instructions into the skill: a fetched text can change after each review',
  },
  {
    class: 'persistence',
    severity: 'warning',
    words: [['write', 'startupPlace']],
    gap: 80,
    only: /\b(?:silent|quiet)\w*|\bso that\b|\bevery (?:time|session|login|start|hour|day|minute)|\bstays?\b|\bsurvive|\bre-?(?:enable|install)|\bkeep\b|curl|wget|nohup|\/tmp\/|damit|para que|每次|始终|自动/i,
    describedBy: SUBJECTS.startup,
    unless: /\b(?:never|do not|don't|avoid)\b|\bexport\s+\w+=|\bPATH\b|alias\b|completion|api key|API_KEY|TOKEN|environment variable|your (?:shell|\.?bashrc|\.?zshrc)|\bsource\b|\bchmod\b/i,
    message: 'The text tells the agent to write a file that the shell or a scheduler starts',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'agent-configuration',
    severity: 'warning',
    words: [['write', 'instructionPlace', 'permanent'], ['permanent', 'write', 'instructionPlace']],
    gap: 90,
    only: /\b(?:this skill|itself|skill is|every session|each session|all (?:future )?(?:sessions|projects|agents)|future|allow(?:ed)?|permissions?|bypass|approve|always (?:run|load|use|trust|allow|activate|call|execute)|so that)\b|künftig|siempre|每次|以后|总是/i,
    describedBy: SUBJECTS.agents,
    message: 'The text tells the agent to change the instructions or rights of agents for good',
    help: 'Name it in the description, and ask the user before it is written',
  },
  {
    class: 'destruction',
    severity: 'warning',
    words: [['destroy', 'whole', 'mass'], ['destroy', 'mass']],
    gap: 30,
    only: /\bhome (?:directory|folder)|\ball (?:of )?(?:the |their )?(?:user's |other |remaining )?(?:files|databases|backups|documents|photos)\b|\bevery file\b|\beverything (?:in|on|under|below)\b|\bentire (?:disk|drive|home|repository|database)|\bproduction (?:database|data|server)|\bbackups of\b|\bdocuments folder|alle dateien|alle sicherungen|todos los archivos|copias de|tous les fichiers|所有文件|全部文件|主目录|所有备份/i,
    unless: /\b(?:never|do not|don't|must not|avoid|without|confirm|careful|warning|irreversible|dangerous|build|cache|temp\w*|node_modules|dist|tmp|replace|old|unused|matching|generated|test|listed)\b|comment|prompt|context|section|paragraph|clears? everything|找出|临时|旧/i,
    describedBy: SUBJECTS.destruction,
    message: 'The text tells the agent to destroy data of the user',
    help: 'Ask the user with the list of what goes, or ask the author',
  },
  {
    class: 'disabled-protection',
    severity: 'warning',
    words: [['disable', 'protection']],
    gap: 40,
    describedBy: SUBJECTS.security,
    unless: /\b(?:never|do not|don't|must not|avoid|if (?:you )?(?:need|want)|debug|test(?:ing|s)?|local|dev|verbose|log level|development|can be|not recommended|warning|insecure|risk)\b|logging[^.]{0,20}(?:format|level|color)|rate/i,
    only: /antivir|firewall|defender|edr\b|endpoint|gatekeeper|selinux|apparmor|audit|certificate|tls|ssl|2fa|mfa|branch protection|secret scanning|sandbox|virenscanner|杀毒|防火墙/i,
    message: 'The text tells the agent to turn off a protection',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'sabotage',
    severity: 'error',
    words: [['write', 'backdoor'], ['backdoor', 'write'], ['backdoor', 'hide'], ['approve', 'backdoor']],
    gap: 70,
    describedBy: SUBJECTS.security,
    message: 'The text tells the agent to put a hidden way in into the work',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    isNegative: true,
    words: [
      ['not', 'tell', 'finding'],
      ['not', 'tellWeak', 'finding'],
      ['hide', 'finding'],
      ['permanent', 'approve', 'review'],
      ['approve', 'review', 'without'],
      ['approve', 'review', 'permanent'],
    ],
    gap: 45,
    only: /\b(?:vulnerabilit\w+|flaws?|security|findings? (?:in|from|about|for|that)|backdoors?|approve|critical|malicious|suspicious|any (?:issues|findings|problems))\b|schwachstelle|vulnerabilidad|漏洞/i,
    unless: /pre-existing|existing issues|style|nit|duplicate|false positive|speculat|theoretical|unless|without (?:evidence|verif|confirm|proof)|outside|unchanged|low-?confidence|before|public|hypothetical|unrelated|twice|already|if (?:the|all|no|there)|only (?:if|when|after)|until|linter|confirmed|report(?:ed)? as|scope/i,
    message: 'The text tells the agent to hide faults or to approve without a check',
    help: 'Ask the author whose interest this serves',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    words: [['replace', 'account'], ['replace', 'moneyAddress'], ['account', 'replace', 'moneyAddress']],
    gap: 60,
    only: /\b(?:iban|wallet|bank|recipient|beneficiary|payee|payment|kontonummer|konto|cuenta)\b|0x[0-9a-f]{6}|收款|付款|汇款/i,
    unless: /placeholder|your (?:own )?(?:wallet|iban|address)|<[a-z_ -]+>|\bYOUR_|example|with the user's|environment variable|https?:\/\/\S{0,200}0x/i,
    message: 'The text tells the agent to change where money goes',
    help: 'No task needs this: remove it, or do not use the skill',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    words: [['pay', 'money', 'moneyAddress'], ['pay', 'moneyAddress']],
    gap: 70,
    only: /0x[0-9a-fA-F]{4}|\bbc1|\b[A-Z]{2}\d{2}\b|\bautomatic|without|immediately|each|every|percent|%|tip|fee\b|automatisch|sin preguntar|自动/,
    unless: /\b(?:confirm|(?:with|after|ask for|user's) (?:\w+ )?approval|ask|example|e\.g|placeholder|test(?:net)?|balance of|read|query|check)\b|<[a-z_ -]+>|https?:\/\/\S{0,200}0x/i,
    message: 'The text tells the agent to pay in the name of the user',
    help: 'Ask the user for the amount and the recipient each time',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    words: [
      ['pay', 'money', 'account'],
      ['money', 'pay', 'account'],
      ['pay', 'whole', 'money'],
    ],
    gap: 60,
    only: /\b(?:automatic\w*|without|immediately|percent|each|every|after)\b|%|automatisch|sin preguntar|自动/i,
    unless: /\b(?:confirm|approval|ask|example|e\.g|placeholder|testnet)\b/i,
    describedBy: SUBJECTS.money,
    message: 'The text tells the agent to pay in the name of the user',
    help: 'Ask the user for the amount and the recipient each time',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    words: [['publish', 'everyone'], ['publish', 'user', 'everyone']],
    gap: 50,
    only: /\b(?:all (?:of )?(?:the )?(?:user's |their )?contacts|every contact|address book|contact list|all (?:their |the user's )?(?:followers|friends|colleagues)|(?:user's|their) (?:twitter|x|linkedin|slack|facebook|instagram) account|as (?:if you were )?the user)\b|im namen|alle kontakte|todos (?:los|sus) contactos|所有联系人|所有好友/i,
    unless: /\b(?:confirm\w*|after (?:\w+ )?approval|with approval|wait for (?:the |their )?(?:user|approval|confirm\w*|yes|ok)|ask|draft|review)\b/i,
    message: 'The text tells the agent to send messages in the name of the user',
    help: 'Ask the user for the text and the recipients each time',
  },
  {
    class: 'trigger',
    severity: 'info',
    words: [['when', 'trigger']],
    gap: 50,
    only: /host ?name|user ?name|weekday|weekend|friday|monday|sunday|midnight|\bafter \d|\b20[2-9]\d-\d\d|\bci\b|production machine|(?:e-?)?mail (?:address|domain)|ends (?:with|in) ["'“]?@|rechnername|freitag|主机名|用户名/i,
    message: 'The text makes the behaviour depend on the date, the machine or the user',
    help: 'Ask the author why the skill must behave differently there',
  },
]
