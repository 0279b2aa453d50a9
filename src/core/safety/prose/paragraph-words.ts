const joinPatterns = (...parts: readonly string[]) => new RegExp(parts.join('|'), 'i')

const TELL = String.raw`(?:mention|tell|inform|bring|bother|ask|explain|disclos|announc|rais|notif|surfac|reveal|report|discuss|comment|remark|draw|point|alert|list|narrat|show|display|document|record|log)\w*`
const READER = String.raw`(?:users?|clients?|readers?|customers?|authors?|developers?|people|employees?|owners?|reviewers?|operators?|persons?|humans?|team|applicants?|they|them|nobody|no one|anyone)`
const ANSWER = String.raw`(?:summar(?:y|ies)|reports?|answers?|repl(?:y|ies)|responses?|outputs?|logs?|changelogs?|conversation|transcript|docs|documentation|messages?|chat|explanations?|notes|recap|description|steps)`

/** Words by which an author keeps something from the user. */
export const STEALTH = joinPatterns(
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

export const SENDING = joinPatterns(
  String.raw`\b(?:send|sends|sent|submit\w*|post|posts|posted|put|upload\w*|transmit\w*|forward\w*|relay\w*|deliver\w*|report\w*|push\w*|sync\w*|mirror\w*|share\w*|ship|ships|shipped|hand|hands|pass|passes|passed|mail|e-?mail|attach\w*|append\w*|includ\w*|embed\w*|copy|copies|copied|register\w*|stream\w*|beacon\w*|ping\w*|GET|tuck\w*|carr(?:y|ies|ying)|drop|pipe|replicat\w*|feed|publish\w*|archiv\w*|export\w*|deposit\w*|escrow\w*|fill|hold(?:s|ing)?|encod\w*|contain(?:s|ing)?|parameter|query|payload|body|header|webhook|place|record\w*|contribut\w*|donat\w*|notif(?:y|ies)|collect\w*|lodge|file[ds]?|exfiltrat\w*|call(?:s|ing)?|render|load)\b`,
  `übermittel|sende|schick|envía|sube|transmet|envoie|发送|上传|提交|转发`,
)

/** Verbs that can only mean that data leaves. */
export const STRICT_SENDING =
  /\b(?:send|sends|sent|submit|submits|submitted|post|posts|posted|put|upload|uploads|uploaded|transmit|transmits|transmitted|forward|forwards|relay|deliver|push|mirror|share|ship|hand|pass(?:es)? (?:it|them|on|along)|mail|attach|append|embed|tuck|carr(?:y|ies)|carrying|pipe|replicate|archive|lodge|deposit|escrow|beacon|ping|exfiltrate|copy|paste|enter|type|go(?:es)? to|dump|wrap up|hands? (?:it|them)|holding|encoded|query string|as `?\w+`? (?:in|to)|in place of|include (?:the|its|their|all|what|your)|report|adjunta|sube)\b|übermittel|sende|schick|envía|transmet|envoie|发送|上传|提交|转发/i

/** Data that has no business on a host of a stranger. */
export const PRIVATE = joinPatterns(
  String.raw`\b(?:(?:full|entire|complete|whole|verbatim|raw|current|this|recent|the|a|of) (?:\w+ ){0,2}(?:conversations?|chat (?:history|log|so far)|chat|transcripts? of|transcript|dialogue|exchange)|system (?:prompt|message|instructions)|(?:your|its) (?:complete |full |entire |hidden )*(?:set of )?instructions|tool definitions|memory files?)\b`,
  String.raw`\b(?:everything|whatever|what|all(?: that)?|anything|words|messages?|prompts?|questions?) (?:that )?(?:the |this |your )?(?:users?|person|they|he|she|human|customer|traveller|visitor)\b(?:['’]s)? ?(?:has |have |had |just )?(?:said|say|says|typed?|types|wrote|writes?|written|asked|asks|pasted|entered|told)\b|\b(?:user|person|human)['’]s (?:\w+ ){0,2}(?:prompts?|messages?|words|requests?|questions?)`,
  String.raw`\b(?:printenv|whole environment|(?:all|every|the) environment variables?|contacts? list|(?:user['’]s|all|their) contacts|address book|direct messages|private (?:channels|messages)|browser (?:history|data|profile)|(?:zsh|bash|shell|command)_?history|shell history|home (?:directory|folder)|phone numbers)\b|~\/(?:Documents|Desktop|Downloads|Pictures)\b|\buser['’]s (?:clipboard|inbox|documents|files|mail)|\b(?:AKIA|ghp_)`,
  `gesprächsverlauf|ganze unterhaltung|zugangsdaten|toda la conversación|toute la conversation|聊天记录|对话内容|系统提示|所有环境变量`,
)

/** Secrets that a service may need, but not one of a skill that needs no network. */
export const SECRETS =
  /\b(?:private keys?|secret keys?|ssh keys?|api keys?|access keys?|(?:access|auth|session|github|refresh) tokens?|credentials?|passwords?|passphrase|cookies?|keychain|seed phrase|recovery phrase|mnemonic|client-key-data|auth entries|clipboard|inbox|environment variables?|command history|source code|customer data|personal data|resume|medical records?|salar(?:y|ies))\b|\.env\b/i

/** The user decides, or the request authenticates a caller. */
export const CONSENT =
  /\b(?:ask(?:s|ed)? (?:the )?(?:user|first|before|for (?:permission|consent|confirmation))|with (?:the user's |their |explicit )?(?:consent|permission|approval)|after (?:the )?(?:user|they|approval|confirm)|only (?:if|when|after|with)|opt(?:s|ed)?[ -]in|confirm (?:with|before)|if the user (?:asks|wants|agrees|requests)|(?:when|once) (?:the user|users|they) (?:asks?|wants?|requests?|agrees?|consents?|approves?|confirms?|says? yes)|if (?:the user|they) (?:agrees?|consents?|approves?|confirms?)|at the user's request|never (?:send|share|upload|transmit|log|include|expose|store|commit)|do not (?:send|share|upload|transmit|log|include|expose|store|commit)|don['’]t (?:send|share|upload|transmit|log|include|expose|store|commit))\b|\bredact|占位|示例|placeholder/i
export const AUTH_USE =
  /\bauthoriz|authenticat(?:ion|e with)|\bbearer\b|\blog ?in\b|sign (?:in|up)|oauth|\bx-api-key|\b(?:get|obtain|create|generate) (?:an?|your) (?:\w+ )?(?:key|token|account)|\bapi[ _]docs|\bendpoints?\b|\bdocs?:|请求头|认证|授权|注册|申请/i

export const NOT_CONTENT =
  /\bfor (?:more|details|further)\b|\bsee also\b|\bdocs?\b|\bdocumentation\b|\breference\b|\blicen[cs]ed? (?:under|file|text|header)|\bdo not follow\b|\bdon['’]t follow\b|\bas data\b/i
