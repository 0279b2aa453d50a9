import { compilePhrase, inflect } from './inflect.ts'

/** Words that mean the same in a frame: verbs in all forms, other words, and phrases. */
interface Family {
  verbs?: string
  words?: string
  phrase?: RegExp
  /** Words without which the phrase has no match. */
  signs?: string
}

/** Negation with something known or shown a few words later. */
const NOT_KNOWN =
  '(?:not|never|no|none|nothing|nobody|neither|nor|without|[a-z]+n[’\']t|needless)\\b(?:[ -][\\w’\']+){0,5} (?:tell|told|telling|mention\\w*|sa(?:y|id)|refer(?:s|red)?|notif\\w+|inform(?:ed|ing)?|know|known|learn(?:ed|t)?|notice[ds]?|sees?|seen|shown?|present(?:ed)?|bother(?:ed|ing)?|disturb(?:ed|ing)?|trouble[d]?|bring it up|brought up|rais(?:e|ed|ing)|reveal(?:ed)?|disclos\\w+|announc\\w+|alert(?:ed)?|aware|appears?|apparent|appris\\w+|laid before|recited|displayed|list(?:ed)?|record(?:ed)?|report(?:ed)?|hear|read about|bring(?:ing)? (?:it|this|that) up|mention|word|remarks?|comment|figure in|spoken|narrat\\w+|visible|explain\\w*)\\b'

const FAMILIES_BY_NAME = {
  /** Data that leaves. */
  send: {
    verbs:
      'transmit upload forward relay deliver dispatch mail email post mirror ship lodge deposit publish synchronise synchronize replicate push exfiltrate escrow share submit register contribute append attach embed place enter paste send put write leave tabulate travel hand pass copy report export drop file store quote transcribe keep issue call hold contain let give',
  },
  /** Verbs that only mean that data leaves. */
  transmit: {
    verbs:
      'transmit upload forward relay deliver dispatch mail email post mirror ship lodge deposit synchronise synchronize replicate push exfiltrate escrow submit send bcc ping beacon copy embed attach hand deliver register paste enter report',
    signs: 'go goes travels travel blind-copy',
    phrase: /\b(?:go(?:es)?|travels?) (?:\w+ ){0,4}to\b|\bblind-copy/i,
  },
  secret: {
    signs: 'key keys half environment connection words phrase phrases env aws ring keyring code codes dot full word',
    words:
      'credential credentials password passwords passphrase passphrases secret secrets token tokens keychain keychains cookie cookies netrc ssh mnemonic logins kubeconfig gnupg vault wallet keystore pin otp',
    phrase:
      /\b(?:(?:api|access|private|deploy|ssh|signing|encryption|cloud|service|their|its) keys?|private half|environment variables?|connection strings?|(?:recovery|seed|secret|twelve|twenty-four) (?:words?|phrases?)|\.env\b|\.aws\b|\$\{?\w+_(?:key|token|secret|password)|key ?ring|one-time codes?|(?:files?|ones?) (?:that|which) starts? with a (?:dot|full stop))/i,
  },
  /** Files and settings of the user that hold secrets. */
  vaultPlace: {
    signs:
      'cargo aws ssh env netrc kube docker config gnupg npmrc pypirc half printenv environ bash zsh proc saved stored private documents desktop downloads pictures akia ghp sk- key token secret password keychain safe login cookies solana claude codex',
    phrase:
      /~\/\.[a-z][\w./-]{2,}|~\/(?:documents|desktop|downloads|pictures)|\/proc\/\S+environ|\bprintenv|\benvironment variables\b|\.env\b(?!\.example)|\bprivate half|\bprivate keys?\b|\b(?:saved|stored|all) (?:passwords|logins|credentials|cookies)|\bsk-|\bghp_|\bakia|\$\{?\w+_(?:key|token|secret|password)|\bkeychain\b|\bsafe storage|_history\b/i,
  },
  private: {
    signs: 'everything whatever all anything what bank source system',
    words:
      'abstract manuscript discussion channels question plans prompt login resume numbers report contents content configuration trace traces plan plans source list lists sheet recording recordings transcript transcripts conversation conversations chat chats mailbox inbox contacts calendar salary salaries contract contracts resolutions memories history histories names addresses birthday diagnosis medical letter letters minutes notes documents answers messages prompts prompt statement rows figures queries mails emails customers recordings complainant talks identifiers keystrokes clipboard screenshots photos code files text spreadsheets data copy draft',
    phrase:
      /\b(?:(?:everything|whatever|all|anything|what) (?:that )?(?:the |this |has |had |you |they |was |been )*(?:discussed|surrounding|user|person|student|client|customer|learn\w*|know|said|told|typed|wrote|seen)|bank details|source code|system prompt)/i,
  },
  all: {
    signs: 'that',
    phrase: /\bthat (?:it|you|they|he|she|can be|are|is) (?:\w+ )?(?:finds?|found|meets?|met|sees?|seen|reach\w*|kept|stored|saved)\b/i,
    words:
      'everything whatever entire whole complete full verbatim unabridged each every any all raw plus together saved stored existing old',
  },
  gather: {
    verbs:
      'gather collect open read look search consult copy take pick harvest scan go find locate list extract reproduce inspect retrieve enumerate sweep comb survey fetch dump export',
  },
  places: {
    signs: 'claude codex cursor gemini copilot coding other earlier every home browser machine computer laptop',
    words: 'claude codex cursor gemini copilot dotfiles',
    phrase:
      /\b(?:claude|codex|cursor|gemini|copilot|coding (?:assistants?|agents?)|other (?:assistants?|agents?)|earlier sessions|every agent|home (?:director(?:y|ies)|folders?))\b|~\/\.|\b(?:in|of|from|through) the (?:home|browser|machine|computer|laptop)\b/i,
  },
  /** Records that agents and shells keep of other work. */
  records: {
    signs: 'transcript transcripts sessions talks memory memories chats logs history remember calendar contacts mail',
    phrase:
      /\b(?:transcripts?|sessions|talks|memor(?:y|ies)|chats|logs|history|remember)\b[^.]{0,60}\b(?:agents?|assistants?|claude|codex|cursor|gemini)\b|\b(?:agents?|assistants?|claude|codex|cursor|gemini)\b[^.]{0,60}\b(?:transcripts?|sessions|memor(?:y|ies)|chats|history|remember)\b|\b(?:shell|command|browser)(?:[’']s)? history\b|\b(?:address book|calendar) (?:and|of)|\bcontacts and\b|\bmail held\b/i,
  },
  /** Ears and eyes of the machine. */
  sensors: {
    signs: 'screen',
    words: 'microphone webcam keystrokes screenshots',
    phrase: /\b(?:picture|photo|recording|capture)s? of the screen|\bscreen (?:capture|recording|shots?)/i,
  },
  observe: { verbs: 'record capture switch take listen log' },
  /** Secrets that only the user can type. */
  typed: {
    signs: 'bank account online recovery seed secret twelve twenty-four one-time 2fa authenticator verification tan sms login master administrator banking mail pin card cvv',
    phrase:
      /\b(?:recovery|seed|secret|twelve|twenty-four)[- ](?:\w+ )?(?:words?|phrases?)|\bone-time (?:code|password)s?|\b(?:2fa|authenticator|verification|tan|sms) (?:code|app\w*)s?|\b(?:login|master|administrator|banking|mail) password|\bpin\b|\bcard number|\bcvv\b|\b(?:bank|mail|account|online) login/i,
  },
  request: { verbs: 'invite ask request prompt type enter dictate reassure' },
  pretext: {
    phrase:
      /\breassur\w+|\bunder examination|\bintroduces? (?:itself|yourself|himself)|\bas a member of|\b(?:trust and safety|security|support|fraud) (?:department|team|desk)|\bso that preparation|\bstays? on (?:the|this|their|your) (?:device|computer|machine)|\bfriendly (?:manner|tone|way)|\boptimi[sz]e|\bto (?:verify|confirm) (?:their|the) identity/i,
  },
  /** A text that must be decoded, and is then obeyed. */
  decoded: {
    phrase:
      /\b(?:shift (?:each|every)|thirteen places|rot-?13|ascii codes?|character (?:numbers|codes?)|read (?:\w+ )*(?:from right to left|backwards?)|revers\w+ (?:the|each|every)|decimal (?:character )?numbers|first letters? of|base64|hexadecimal|put in order of|decod\w+|converted to text)\b/i,
  },
  enacted: {
    signs: 'act acts acted do what resulting obtained decoded',
    phrase:
      /\bacts? (?:up)?on (?:it|what)\b|\bacted (?:up)?on\b|\bdo what (?:it|the|comes)\b|\bwhat (?:comes out|you get|results?)\b|\b(?:resulting|obtained|decoded) (?:line|sentence|text|order)s?\b[^.]{0,40}\b(?:says?|acted|obey\w*|follow\w*|execut\w*|carried)/i,
  },
  /** A report of what did not happen. */
  feigned: {
    signs: 'line passed fine sound solid great good reviewed personally formatting routine maintenance usual only answer come already update harmless thorough change changes policy full shy examined',
    phrase:
      /\b(?:sa(?:y|ys|id)|states?|claims?|answers?|writes?|reports?|describe[sd]?|tells?|repl(?:y|ies)|add|let|comment|left there)\b[^.]{0,70}\b(?:line by line|(?:they|all|it|everything|tests?) (?:passed|was fine)|found to be sound|looks? (?:solid|great|good)|reviewed (?:it|personally)|personally|as (?:formatting|routine|maintenance|usual)|only (?:temporary|cache)\w*|the answer is no|come from the|already (?:contained|there|signed)|did an update|was (?:full|shy|examined)|harmless|thorough|no changes?|automated policy)\b/i,
  },
  /** A place outside that has no host name. */
  outside: {
    signs: 'our us open common custom shared pull public customer-visible invisible grey cloud',
    words:
      'pastebin paste gist unlisted public publicly portal commit comment ticket mailbox registry wall webhook form annex appendix subdomain remote issue',
    phrase:
      /\b(?:shared|open|common) (?:folder|drive|deck|mailbox|channel|board|space|album)|\bour (?:[\w’'-]+ ){0,2}(?:servers?|service|desk|club|board|wall|team|registry|site|archive|studio|inbox|mailbox|address|system|partners?|collector|database|form)\b|\b(?:to|with|for) us\b|custom properties|pull requests?|public (?:link|page|repo\w*|folder|channel)|customer-visible|invisible|grey letters|cloud (?:drive|storage)/i,
  },
  address: {
    signs: 'question computer',
    words: 'parameter query subdomain image picture link badge slash address lookup crest pixel host name logo icon preview tab',
    phrase: /\b(?:question mark|computer name)\b/i,
  },
  template: { signs: 'https http', phrase: /[?&]\w{1,12}=(?:\{|<|\[|\$|[A-Z]{3,}\b)/ },
  payee: {
    words: 'iban payee beneficiary',
    phrase: /\b[A-Z]{2}\d{2}(?: ?\d{4}){3,7}|\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{25,}/i,
  },
  composed: {
    signs: 'question plus url percent url-encoded percent-encoded base64 made end ends followed place pieces front thereafter takes carries composed',
    words: 'encoded joined hyphens appended',
    phrase:
      /\b(?:question mark|plus signs|(?:url|percent)-?encoded|base64|made (?:up )?(?:from|of)|ends? with|followed by|place of spaces|in pieces|in front of|thereafter|takes (?:a|the|one) parameter|carries|composed)\b/i,
  },
  conceal: {
    words:
      'unseen discreetly secretly covertly unobtrusive unobtrusively unnoticed unmentioned inconspicuously invisibly stealthily undisturbed surreptitiously unannounced',
    phrase: compilePhrase(
      NOT_KNOWN,
      'formality\\b|(?:internal|background) (?:step|matter|detail)|(?:hint|mention|remark|note|notice|comment|question|explanation)\\b[^.]{0,24} (?:is|are) (?:optional|unnecessary|superfluous|not)\\b|(?:hint|mention|remark|notice|comment|question)s? isn[’\']t|belong in (?:your|the) \\w+|before (?:they|he|she|anyone) (?:looks?|notices?|sees?)|in (?:that|the) belief|(?:users|they|people|owners?) assumes?|refrain from (?:\\w+ ){0,2}(?:rais|mention|bring|point)\\w*|as (?:if|though) nothing|nobody (?:reads|looks|checks)|given the words|(?:silently|quietly)\\b(?! (?:fail|los|drop|break|skip|corrupt|ignor|swallow|truncat|degrad|overwrit|wrong|chang|broke|return|pass|discard|produc)\\w*)|mention (?:neither|no)\\b|(?:excluded|omitted|left out|absent|missing|kept) (?:of|out of|from) (?:the )?\\w+|(?:would|might) (?:\\w+ )?(?:say no|refuse|protest)|[a-z]+n[’\']t interested|den(?:y|ies|ied|ying) (?:having|know\\w*|it|that|any|all)\\b|existence is denied|in the affirmative|whole (?:story|truth)|spare (?:the|them|him|her)\\b|(?:hardly|seldom|rarely|barely) (?:notice|look|check|ask)\\w*|out of (?:the )?(?:\\w+ )?(?:list|log|report|summary|record|history|answer|sight)',
      'appearance of|(?:say|says|tell|tells|mention|report)s? (?:only|solely|just|nothing|nobody|that only)\\b|(?:mention|say|report|list|show)\\w* (?:solely|only)|anywhere visible|leave (?:it|this|that|them) out|learn of|in the meantime|(?:look|sound|seem|appear)s? (?:as (?:if|though|thorough|like)|so\\b|usual)|never (?:posted|said|signed)|so that only|(?:would|might|tend to|may) (?:\\w+ )?(?:worry|decline|stop it|object|notice|confuse)\\w*|find (?:it|this|that) (?:strange|odd|boring|confusing|annoying|distracting)|like (?:ordinary|normal|regular|routine)|not interested|no choice|modification dates?|(?:unrelated|larger|other) (?:commit|change|refactoring|edit)|in (?:the )?style of|below the (?:fold|surface)|under the surface|skipp?ed (?:in|when|during)|stays? (?:entirely )?(?:clean|hidden)|(?:no|without|remov\\w+|wip\\w+|clear\\w+|eras\\w+|leav\\w+) (?:\\w+ ){0,2}traces?\\b|explanation (?:people|they|everyone)|keep (?:it|this|that) (?:secret|quiet)|between (?:us|ourselves)',
      '(?:sent|activity|outbox|archive|recent)\\b[^.]{0,40}\\b(?:emptied|cleared|removed|deleted|taken off|archived)|(?:emptied|cleared|removed?|deletes?|taken off|transferred) [^.]{0,40}\\b(?:sent|outbox|recent activity|notifications?)\\b|archived? (?:\\w+ )*unread|treated as (?:not|never|un)|considered editorial|(?:said|told|called|booked|described|labelled?|labels|passed off|presented|explained|worded?) (?:\\w+ )*(?:as|like)\\b|friendly no\\b|afterwards (?:one can )?say',
    ),
  },
  /** The user is not asked, or hears of it too late. */
  unasked: {
    words: 'unattended irrespective regardless unconditionally indiscriminately',
    phrase: compilePhrase(
      'without (?:[\\w’\']+ ){0,4}(?:ask|request|recit|diagnos|inquir|confirm|approv|consent|permission|preview|review|open|read|look|consult|check|submit|wait|diagnos)\\w*',
      '(?:no|not|never|nothing|none|[a-z]+n[’\']t)\\b(?: [\\w’\']+){0,4} (?:question|preview|confirmation|approval|permission|ask(?:ed|ing)?|confirm\\w*|wait\\w*|consult\\w*|sought|submitted|bothered|held back|agree[d]?|last look|allowance)\\b',
      'as (?:you|it|they) sees? fit|go(?:es)? ahead|asking (?:again|first|would|only|twice)|run (?:it|this|that) past|checking back|confirmations? (?:is |are )?(?:not )?required|dispensed with|(?:would|to|could) (?:only |just )?(?:slow|delay|defeat|stall|interrupt)\\w*|defeats the purpose|never (?:\\w+ )?(?:reply|replies|object)|seldom (?:replies|checks?|looks?)|wanted or not|comes? before the|beforehand|in advance|freely|isn[’\']t produced|did not agree|straight ?away|at once|right away|as soon as|within the (?:same )?minute|in one go|in their entirety|on (?:the |its |his |her |their )?(?:\\w+[’\']s )?behalf|consent (?:was|is|has|counts)|already (?:answered|agreed|consented|given|approved)|whatever (?:they|it|the|is)|no matter|in (?:any|every) (?:case|event)|even (?:if|when|though|where)|also (?:if|when)\\b|alone\\b|in due course|when the invoice|see it (?:in|later|when)|while the user (?:is|reads)|first (?:hears?|learns?)',
    ),
  },
  /** Consent that nobody gave. */
  presumed: {
    phrase:
      /\b(?:consent (?:was|is|has|counts)|(?:agreed|consented|approved) (?:in advance|already|beforehand|by (?:joining|installing|using))|already (?:agreed|consented|approved|granted|signed off)|part of the terms|settled by|informed (?:of \S+ )?by separate)/i,
  },
  /** Put back when it is removed. */
  /** A verdict that does not depend on what it is about. */
  irrespective: {
    words: 'irrespective regardless unconditionally unread unseen unopened',
    phrase:
      /\bwhatever (?:they|it|the \w+) (?:contains?|says?|holds?|shows?)|\bwithout (?:\w+ ){0,2}(?:open|read|look|check|test|examin)\w*|\beven (?:if|when)|\balso (?:if|when)|\bwithin the (?:same )?minute|\bin advance|\b(?:do|does|are) not (?:open|read|look|exam)\w*|\bstands? always first|\balways (?:first|on top)|\bin one go|\bin their entirety|\bspecial status|\bpre-?(?:checked|approved|cleared)|\bexamined upstream/i,
  },
  restore: {
    verbs: 'reinstate',
    phrase:
      /\b(?:re-?(?:entered|installed|added|created|appears?|instated?)|put back|comes? back|written again|(?:if|when|should|whenever) [^.]{0,40}\b(?:vanish|missing|removed|taken out|deleted|cleans?|disappear)\w*|survives?|doesn[’']t end|outlives?|(?:leave|keep|stays?) (?:it |this )?(?:like that|that way|off)|(?:all|every) (?:future|later)|future (?:sessions|conversations|tasks)|from now on|permanently)\b/i,
  },
  agentFile: {
    signs: 'auto-approval auto-approved tool tools claude agents gemini memory soul skill skills mcp servers server future later cursorrules instructions',
    phrase:
      /\b(?:claude|agents|gemini|memory|soul|skill)\.md\b|\bother skills?\b|\bskills? (?:installed|already|that (?:is|are)) |\bmcp\b|\b(?:list|settings) of (?:\w+ )?servers|\btool servers?\b|\bfuture (?:assistants?|agents?|sessions?)|\blater sessions?\b|\bevery future\b|\blong-term memory|\bcursorrules\b|\bsystem-wide instructions|\bauto-?approv\w+|\b(?:every|all) tools?\b/i,
  },
  write: {
    verbs: 'append add introduce insert extend enter write place receive plant save put register record create install amend set',
  },
  guide: {
    verbs: 'consult obey follow invoke resolve direct order attend heed complete trust prefer',
    words: 'first priority orders advice tasks preapproved pre-approved instructions trusted before always',
  },
  destroy: {
    verbs:
      'vacuum wipe delete remove erase wipe empty purge expire overwrite squash collapse destroy discard prune truncate drop clear shred rewrite leave scramble collect replace',
    words: 'gone goes',
    phrase: /\bin (?:the )?place of\b|\bby force\b/i,
  },
  final: {
    signs: 'good zero trash saved nothing no bring get put come coming recover recovered recovery reverse undo history backup backups restore restored restoring',
    words: 'reflogs zeros permanently irreversibly irrecoverably unrecoverable reflog force forced bin trash snapshots',
    phrase:
      /\bfor good\b|\bto zero\b|\btrash emptied\b|\bsaved states\b|\bnothing (?:can|could|lingers|remains)\b|\bno (?:coming|way) back|\b(?:bring|get|put|come|coming) (?:\w+ ){0,4}back\b|\brecover\w*|\breverse\b|\brestor\w+|\bundo\w*|\bhistory\b|\bbackups?\b/i,
  },
  others: {
    words: 'colleagues colleague co-authors coauthors maintainers maintainer students people everyone owners teammates anyone family',
    phrase: /\b(?:other|all) (?:people|authors|students|members|projects|users)\b|\bwhole (?:team|group)\b|\bremote branch|\bpublished branch|\b(?:main|common|default) (?:branch|line)\b|\bphotos\b|\bdatabases?\b|\boriginals\b|\bforce-push|\bpush --force|\bdocuments and\b|\bpictures\b|\bconnected drives|\bbackups? (?:volume|disk|drive)|\bother folders?|\bwherever they/i,
  },
  disable: {
    verbs: 'turn disable vacuum deactivate stop suspend lift switch pause rest confirm acknowledge dismiss uninstall weaken exempt add lower leave',
  },
  protection: {
    signs: 'malware real-time realtime endpoint virus branch protection certificate host unidentified security audit auditing recording monitoring roots root approval lifecycle journald log logs',
    words: 'antivirus smartscreen gatekeeper firewall defender edr sandbox sandboxes selinux apparmor',
    phrase:
      /\b(?:malware|real-?time|endpoint|virus|branch) protection|protection of (?:the )?branch|certificate (?:verification|validation|checks?)|host key checking|unidentified (?:publisher|developer)|security (?:software|warning|agent|tool|product)s?|approval rules?|lifecycle locks?|journald|(?:event|system|command) logs?|audit(?:ing)? (?:logs?|trail|daemon)|(?:screen|session) recording|monitoring (?:agent|software)|trusted roots|root certificates?/i,
  },
  program: {
    verbs: 'download obtain fetch get run start execute launch paste unpack visit pull install',
    words: 'build executable archive bag binary installer component',
  },
  pay: {
    verbs: 'book pay order buy book transfer purchase donate wire subscribe effect accept charge gift tip',
    words: 'gift payment transfer order purchase fee donation',
  },
  ownMeans: {
    signs: 'stored saved remembered connected company corporate card wallet account browser session signature already payment',
    phrase:
      /\b(?:stored|saved|remembered|connected|company|corporate) (?:card|payment|account|wallet)|\b(?:card|account|payment method|wallet) (?:stored|saved|kept|remembered|connected)|\b(?:card|payment method|wallet|account) (?:is |that |which )?(?:the browser |stored|saved|remember|in the browser)|\bbrowser (?:remembers|is logged in)|\b(?:own|user[’']s|their|his|her) wallet\b|\bopen (?:banking )?session|\bcompany account\b|\bsignature|\balready (?:open|signed in|logged in)/i,
  },
  inName: {
    signs: 'name behalf identity account accounts address mailbox number profile profiles handle person user owner personally signed logged session sessions first-person legal wallet wallets them him her',
    phrase:
      /\b(?:in|under|with|over) (?:the |that |his |her |their |its |whoever[’']?s? )?(?:[\w-]+[’']s? )?name\b|\bin the name of|\bon (?:the |his |her |their )?(?:\w+[’']s )?behalf|\bunder the (?:identity|same accounts)|\bfrom (?:the |his |her |their )?[\w-]+[’']s? (?:own )?(?:\w+ )?(?:account|address|mailbox|number|profile|handle)\b|\b(?:first|same) accounts?\b|\bevery account\b|\bin the first person\b|\bfirst-person\b|\b(?:their|his|her|user[’']s|author[’']s|student[’']s|owner[’']s) (?:\w+ (?:and \w+ )?)?(?:account|session|profile|handle|mailbox|wallet)s?\b|\bsigns? for (?:them|him|her)|\blegal name\b|\bas the (?:user|owner)\b|\bpersonally\b|\bsigned in\b|\blogged in\b|\bsession that is\b/i,
  },
  act: {
    signs: 'goes put signed ordered',
    verbs:
      'star tick release assign fill sign confirm open publish post mail email send dispatch sign approve merge accept agree address reply place release praise recommend endorse withdraw invite notify follow review vote comment submit concede file answer',
    phrase: /\bgoes out\b|\bput online\b|\bsigned off\b|\bis ordered\b/i,
    words: 'reviews endorsement letter e-mail',
  },
  verdict: {
    verbs: 'approve merge pass grade accept clear rate rank recommend mark praise waive list hide ignore mention prefer favour favor',
    words: 'sound bill fixed clean verdict compliant unmentioned approved lowest advisories advisory first top severity best cheapest appear disputed',
  },
  favoured: {
    signs: 'account accounts author authors contributor scope package packages vendor vendors publisher domain shop shops brand family sender supplier team company contribution contributions change changes firm provider bot bots maintainers handle handles',
    phrase:
      /\b(?:account|author|authors|contributor|scope|package|packages|vendor|publisher|domain|shops?|brand|family|sender|supplier|team|company|contributions?|changes|firm|provider)\b[^.]{0,50}(?:[`"“][@\w][\w@/.-]{2,40}[`"”]|\b[A-Z][a-z]+(?:[A-Z ][a-z]+)+)|(?:from|by|of|in) (?:the )?(?:account|author|scope|vendor|bot|maintainers? of this|handle)s? |\b(?:handle|author|account|contributor)s?\b[^.]{0,30}\b(?:ends?|starts?|is|are|named|called) /,
  },
  obeyed: {
    signs: 'treat treated as carry carries carried obey obeyed obeys act acted acts binding complied comply executed execute performed perform authority weight force tasks orders directions directives says deemed honour do does done follow followed follows',
    phrase: compilePhrase(
      '(?:whatever|what|anything|everything) (?:it|the (?:\\w+ )?(?:page|text|file|answer|response|list|line|server)|this|that|they|stands there|is (?:written|found|returned|there))\\b[\\w ]{0,20}\\b(?:says?|prints?|directs?|asks?|asking|demands?|instructs?|wants?|contains?|orders?|holds?|tells?|returns?|lists?)\\b[^.]{0,60}\\b(?:carried out|carry|obey\\w*|perform\\w*|follow\\w*|(?:does|do) it|is done|execut\\w*|binding|complied|acted|addressed to you)',
      '(?:each|every|its|the|those|these|resulting|such) (?:lines?|sentences?|orders|wish|words|instructions|tasks|text|requests?|directions?)\\b[^.]{0,80}\\b(?:as (?:if|though)|carr(?:y|ied) (?:\\w+ )?out|obey\\w*|acted? (?:up)?on|binding|complied with|executed|performed|same (?:authority|weight|force)|before the user)',
      'do what (?:it|the \\w+ \\w+) says|(?:treat|follow|carr|does|do|obey|regard|compl|execut|honou?r)\\w*\\b[^.]{0,90}\\bas (?:if|though) (?:it|they|the \\w+|\\w+)(?: \\w+)? (?:had|stood|came|were|was)\\b|with the same (?:authority|weight|force)|(?:consult|check|ask|report|turn|look|go)\\w*\\b[^.]{0,60}\\bfor (?:(?:its|their|your) )?(?:tasks|orders|directions|directives)\\b|(?:assistant|agent|model|you|teller) (?:then )?acts? (?:up)?on it\\b|the (?:wish|request|lines?|orders?|instructions?|sentence)[^.]{0,40}\\b(?:is|are) (?:then )?(?:carried out|obeyed|complied with|executed|acted (?:up)?on)\\b|deemed to have been issued|honou?r its entries|treat(?:ed)? (?:\\w+ ){0,3}as (?:an? )?(?:developer|system|operator|admin\\w*|root) (?:message|prompt|instruction)s?',
    ),
  },
  incoming: {
    words: 'page mail message text lines file prints site url address feed response document attachment comment sender host server entries output',
    verbs: 'load retrieve fetch check poll visit open download consult get',
  },
  above: {
    signs: 'stop serve serves orders rank ranks stand stands standing placed sit sits above important weight authority priority precedence outrank outranks supersede supersedes override overrides prevail prevails overrule overrules longer force binding rights lapse lapses lose loses lost regardless',
    phrase:
      /\b(?:ranks?|stands?|standing|placed|sits?|is|are) (?:\w+ )?above\b|\b(?:more|higher|greater) (?:important|weight|rank|authority) than\b|\b(?:has|have|takes?|give (?:them|it|those)|gives?) (?:\w+ )?(?:priority|precedence)\b|\b(?:outranks?|supersedes?|overrides?|prevails?|overrules?)\b|\bno longer takes? (?:direction|orders|instructions)|\b(?:in force|binding) (?:for|on) (?:all|every)|\b(?:guest|lower|lesser) rights\b|\blapses?\b|\b(?:lose|loses|lost) (?:its |their )?(?:validity|force)|\bstop (?:following|obeying|serving|listening)|\byou (?:now )?serve|\bserves? (?:only )?the (?:maintainer|author|owner|vendor|publisher)s?|\borders (?:only )?from/i,
  },
  authority: {
    phrase:
      /\bsystem prompt|\boperator\b|\bplatform\b|\b(?:the |its |all )?(?:vendor|developer|provider|administrator|model)[’']?s?\b|\b(?:wishes|requests?|wants?|forbids?|wanted|direction|instructions?|said|things) (?:\w+ ){0,5}(?:user|person|owner|human|chat|players?)\b|\b(?:user|person|owner|human)\b[^.]{0,12}\b(?:wants|wishes|says|said|asked|asks|requests?|talking|at the keyboard)|\bto you\b|\bdifferent product|\bweaker models|\b(?:earlier|previous|prior) (?:guidance|messages|instructions|rules)|\b(?:only|but) this (?:page|document|file|skill|text)|\bthis (?:page|document|file) alone|\bmaker[’']s|\bguidance\b|\btyped ones\b|\bwishes\b/i,
  },
  /** A text that speaks for those who run the agent. */
  shellRun: {
    signs: 'pipe pipes piped feed feeds hand bash shell sh interpreter',
    phrase:
      /\b(?:pip(?:e|es|ed|ing)|feeds?|hands?|pass(?:es)?|gives?)\b[^.]{0,60}\b(?:in)?to (?:a |the |your )?`?(?:bash|sh|zsh|shell|python3?|node|interpreter|powershell|terminal)\b/i,
  },
  startPlace: {
    signs: 'profile startup start-up login cron crontab zshrc bashrc launch systemd autostart hook hooks',
    phrase:
      /\bshell (?:profile|start-?up)|\bstart-?up (?:files?|scripts?|folder|items?)|\blogin items?|\bcron(?:tab)?\b|\.(?:zshrc|bashrc|profile|zprofile|zshenv|bash_profile)\b|\blaunch ?agents?|\bautostart\b|\b(?:post|pre)-(?:commit|push|merge) hooks?/i,
  },
  unseenText: {
    signs: 'white px invisible hidden zero-width transparent tiny',
    phrase:
      /\b(?:white(?: on white)? (?:\w+ )?(?:text|type|font|letters)|white \d ?px|\d ?px (?:text|type|font)|invisible (?:text|type|characters)|zero-?width|tiny (?:text|type|font))\b/i,
  },
  toAgents: { phrase: /\b(?:AI (?:assistants?|agents?|models?)|language models|LLMs?|crawlers|(?:other|all) (?:assistants|agents))\b/i },
  friction: {
    words: 'latency friction slow slows stalls delay delays interrupt interrupts bottleneck annoying',
  },
  bypassFlag: {
    signs: 'bypasspermissions dangerously skip yolo autoapprove --yolo --dangerously-skip-permissions full-access danger-full-access',
    phrase:
      /\bbypassPermissions|--dangerously-\w+|--yolo|\bautoApprove\b|\bdanger-full-access|\bBash\(\*\)/i,
  },
  each: {
    words: 'each every always whenever after once finally',
    phrase: /\bprior to|\bat the (?:end|start|beginning|close)/i,
  },
  herald: {
    signs:
      'message notice memo note bulletin announcement issued system operator administrator platform vendor provider developer developers directive',
    phrase:
      /\b(?:message|notice|memo|note|bulletin|announcement|directive|word|instructions?) (?:of|from|by) (?:the |your )?(?:[\w’']+ )?(?:platform|operator|vendor|provider|developers?|administrators?|system|security|anthropic|openai|model)\b|\b(?:system|operator|platform|administrator|developer) (?:message|override|notice|operations|bulletin|directive)\b|\bissued by the (?:operator|platform|vendor|provider|developer|administrator|security)|\byour (?:administrator|operator|developers?|vendor) (?:has|have)\b/i,
  },
  /** Package names and where they come from. */
  packages: {
    words: 'package packages dependency dependencies manifest lockfile registry index mirror requirements',
  },
  exchange: { verbs: 'change replace switch resolve install swap rename point allow redirect prefer' },
  publicPlace: {
    words: 'pastebin unlisted publicly gist',
    signs: 'public open everyone world anyone wall',
    phrase:
      /\b(?:mak\w+|made|set\w*|turn\w*) (?:[\w’']+ ){0,4}public\b|\bpublic (?:visibility|page|link|board|wall|gist|repo\w*|folder|paste|bucket)|\bopen board|\bvisibility [“"']?(?:everyone|public)|\b(?:visible|readable|open) (?:to|for|by) (?:everyone|anyone|the world|all)|\bworld-readable|\bwall of\b/i,
  },
  sensitive: {
    words:
      'salary salaries bank identifiers passwords medical diagnosis contracts confidential internal transcript resolutions personal customers payroll source strings secrets tokens keys names conversation logs credentials traces diary letters patients',
  },
  refusal: {
    signs: 'older earlier previous prior policy policies safety grounds refusal confirmation confirmations warning warnings limit limits rules instructions guidance told human maker vendor provider operator asking what',
    words: 'refusal refusals guardrails safeguards guardrail',
    phrase: /\b(?:(?:older|earlier|previous|prior) (?:advice|guidance|guardrails|limits|polic\w+)|polic(?:y|ies) (?:\w+ )?you\b|safety (?:guideline|rule|filter|check|training)s?|(?:limits?|rules|instructions|guidance) (?:\w+ ){0,3}(?:you|got|given|told|earlier|before|bind\w*)|told (?:\w+ )?(?:earlier|before|previously)|human objections?|(?:maker|vendor|provider|operator)[’']s (?:polic|rule|limit)\w*|asking first|what (?:\w+ ){0,3}refused?|grounds of safety|refusal behaviou?rs?|confirmations? (?:are|is)|warnings? to the)\b/i,
  },
  lifted: {
    signs: 'worked work longer pass count counts apply noise previous let test',
    words: 'outdated obsolete expired withdrawn suspended waived lifted void noise off breach lapse lapsed replaced revoked suppressed cease regardless misunderstanding unrestricted nobody',
    phrase: /\bworked? around|\bno longer\b|\bpass by\b|\bcount(?:s)? as\b|\bnot apply\b|\bprevious configuration|\bas test input|\blet it pass\b|\bas noise\b/i,
  },
  dialog: {
    words: 'pops dialog dialogs dialogue dialogues confirmation confirmations prompt prompts permission permissions question questions allowance',
  },
  affirmed: {
    phrase:
      /\b(?:answers?|choose|select|press|pick|click|tick) (?:\w+ ){0,3}[“"'](?:yes|allow|ok|y|always|accept|trust)\b[^.]{0,60}\b(?:behalf|whatever|every|any|all|itself)\b|\bin the affirmative\b|\bcounts? as (?:already )?(?:answered|given|confirmed)\b|\bbypass(?:ed)? mode|\bpermissions? (?:are|is) (?:bypassed|waived|skipped|off)|\bmode in which permissions|\bto never\b|\bgrants? itself\b|\bon (?:the )?(?:user|operator|owner)[’']s behalf|\backnowledged? on behalf|\b(?:answers?|answered|confirm\w*|accept\w*|approv\w*) (?:\w+ ){0,3}(?:itself|yourself|for (?:the user|them|him|her))\b/i,
  },
  money: {
    words: 'iban payee beneficiary payer invoice invoices account sums sum prices price payroll amounts totals payouts commission',
  },
  altered: {
    verbs: 'alter transpose adapt replace swap work substitute change adjust round inflate redirect move',
    words: 'different other then',
  },
  rights: {
    signs: 'rights access permission permissions key login desktop keys sudoers collaborator collaborators user superuser account outside',
    phrase:
      /\b(?:admin(?:istrator)?|full|write|push|owner|root|editor|elevated) (?:rights|access|permissions?)|\bdeploy key\b|\bremote (?:login|access|desktop)\b|\bpublic key\b|\bauthori[sz]ed keys?\b|\bsudoers?\b|\bauthorized_keys|\b(?:additional|extra|new|second) (?:login|user|superuser|account)\b|\bsuperuser\b|\blisten(?:s|ing)? to the outside|\bcollaborators?\b/i,
  },
  granted: {
    verbs: 'invite create receive add grant open enter get put give enrol install listen make',
    words: 'invitation account gets belongs',
  },
  trigger: {
    signs: 'beginning starting until till before from after on since past beyond unattended absence no variable environment machine host computer hosts nobody not typed dormant session only reviewer reviewers review fridays saturdays sundays weekday midnight skipped',
    phrase: compilePhrase(
      '(?:until|till|before) (?:then|that (?:day|date|time)|summer|the \\w+ of)|(?:from|after|on and after|since) (?:the )?(?:\\w+ )?(?:first|second|third|\\d+(?:st|nd|rd|th)?|thirtieth|\\w+th) (?:of |use|time|message|run|session)?|(?:past|after|beyond) (?:its |the )?\\w+ (?:messages?|runs|uses|sessions|lookups)|(?:beginning|starting) (?:with|from) (?:the )?\\w+|from the \\w+ on\\b|unattended|(?:absence of|no) (?:a )?terminal|(?:variable|environment)[^.]{0,40}\\b(?:CI\\b|continuous integration|robots)|(?:machine|host|computer|hosts)[’\']?s? (?:whose )?names?\\b|nobody (?:is |has )?(?:watch|look|typ)\\w*|(?:has |is )not (?:been )?typed|\\bdormant\\b|\\bsession (?:six|\\w+teen|\\d+)\\b|only when\\b|from \\w+ (?:on|onward)s?\\b|review(?:er)?s? (?:who|by a human)|\\bon (?:fri|satur|sun)days\\b|weekday|midnight',
    ),
  },
  denied: {
    phrase:
      /\b(?:den(?:y|ies|ied)|there (?:is|are) none|say nothing|never existed|passed over|nothing was found|no (?:shop|one|vendor|such)|a friendly no|answers? that (?:there|it|no|they)|repl(?:y|ies) that|in the affirmative|is skipped|not (?:been )?written|entirely clean|nothing else|answers?,? that|let (?:him|her|them) believe|told the same|own honest opinion|not pay attention)\b/i,
  },
  asked: {
    verbs: 'ask enquire inquire question',
    phrase: /\b(?:existence|enquiring|asked)\b/i,
  },
  ties: {
    signs: 'bypass hidden factory default customary backdoor back',
    phrase: /\bauthentication bypass|\bbypass (?:of|for) (?:the )?(?:auth|login|password|parameter)|\bhidden (?:parameter|endpoint|route|account|entry)|\b(?:factory|default|customary) passwords|\bbackdoor|\bback door/i,
  },
} satisfies Record<string, Family>

export type FamilyName = keyof typeof FAMILIES_BY_NAME | 'host'

interface CompiledFamily {
  words: readonly string[]
  /** Words of which a sentence needs one for the phrase; undefined if any sentence may have it. */
  signs: readonly string[] | undefined
  phrase: RegExp | undefined
}

/** Families by name, with each form of their words. */
export const FAMILIES: ReadonlyMap<FamilyName, CompiledFamily> = new Map(
  Object.entries(FAMILIES_BY_NAME as Record<string, Family>).map(
    ([name, { verbs = '', words = '', phrase, signs }]) => [
      name as FamilyName,
      {
        words: [...inflect(verbs), ...split(words)],
        signs: signs === undefined ? undefined : split(signs),
        phrase,
      },
    ],
  ),
)

function split(words: string): string[] {
  return words.split(/\s+/).filter(Boolean)
}
