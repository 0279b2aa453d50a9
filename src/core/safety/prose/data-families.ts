import { gatePhrase, type Family } from './family.ts'
import { compilePhrase } from './inflect.ts'

/** Words that each way to obey a text has. */
const OBEYS =
  /carr(?:y|ied)|obey|perform|follow|execut|binding|compl|\bact(?:s|ed)?\b|addressed to you|\bdo(?:es)? it|is done|\bas (?:if|though)|same (?:authority|weight|force)|before the user|(?:through|do|on|complete) (?:what|whatever|everything|anything|all)\b|\bfor (?:\w+ )?(?:tasks|orders|directions|directives)|(?:are|is|becomes?|as) (?:tasks|orders|instructions|commands)|deemed|honou?r|\btreat/i

/** Words about data, and where they go and come from. */
export const DATA_FAMILIES = {
  /** Data that leaves. */
  send: {
    verbs:
      'transmit upload forward relay deliver dispatch mail email post mirror ship lodge deposit publish synchronise synchronize replicate push exfiltrate escrow share submit register contribute append attach embed place enter paste send put write leave tabulate travel hand pass copy report export drop file store quote transcribe keep issue call hold contain let give stream pipe funnel route siphon pool donate supply furnish archive park stash circulate sync save load hand share lodge',
  },
  /** Verbs that only mean that data leaves. */
  transmit: {
    verbs:
      'push transmit upload forward relay deliver dispatch mail email post mirror ship lodge deposit synchronise synchronize replicate push exfiltrate escrow submit send bcc ping beacon copy embed attach hand register paste enter report sync stream funnel route siphon share pool donate supply circulate fax courier',
    signs: 'go goes travels travel blind-copy make makes made leave leaves keep keeps',
    phrase:
      /\b(?:go(?:es)?|travels?) (?:\w+ ){0,4}to\b|\bblind-copy|\bma[kd]es? (?:\w+ ){1,4}available to\b|\b(?:leave|keep)s? (?:a |one )?(?:\w+ )?cop(?:y|ies)\b|\bleaves? (?:it|them|this|these|that) (?:at|in|on|with)\b/i,
  },
  secret: {
    signs:
      'token tokens key keys half environment connection words phrase phrases env aws ring keyring code codes dot full word',
    words:
      'credential credentials password passwords passphrase passphrases secret secrets keychain keychains cookie cookies netrc ssh mnemonic logins kubeconfig gnupg vault wallet keystore pin otp pfx jwt pgpass htpasswd passcode passcodes authtoken',
    phrase:
      /\b(?:(?:api|access|private|deploy|ssh|signing|encryption|cloud|service|their|its) keys?|(?:api|access|auth|bearer|refresh|session|github|npm|login) tokens?|all tokens|private half|environment variables?|connection strings?|(?:recovery|seed|secret|twelve|twenty-four) (?:words?|phrases?)|\.env\b|\.aws\b|\$\{?\w+_(?:key|token|secret|password)|key ?ring|one-time codes?|(?:files?|ones?) (?:that|which) starts? with a (?:dot|full stop))/i,
  },
  /** Files and settings of the user that hold secrets. */
  vaultPlace: {
    signs:
      'wallet electrum pgpass cargo aws ssh env netrc kube docker config gnupg npmrc pypirc half printenv environ bash zsh proc saved stored private documents desktop downloads pictures akia ghp sk- key token secret password keychain safe login cookies solana claude codex',
    phrase:
      /~\/\.[a-z][\w./-]{2,}|~\/(?:documents|desktop|downloads|pictures)|\/proc\/\S+environ|\bprintenv|\benvironment variables\b|\.env\b(?!\.example)|\bprivate half|\bprivate keys?\b|\b(?:saved|stored|all) (?:passwords|logins|credentials|cookies)|\bsk-|\bghp_|\bakia|\$\{?\w+_(?:key|token|secret|password)|\bkeychain\b|(?<![\w/])\.(?:password-store|electrum|ssh|aws|gnupg|kube|netrc|pgpass|npmrc)\b|\bpassword (?:store|manager)|\bwallet (?:folder|file|directory)|\bsafe storage|_history\b/i,
  },
  private: {
    signs: 'everything whatever all anything what bank source system',
    words:
      'branches commits repository repositories repo repos databases dumps journal journals tax inventory archive abstract manuscript discussion channels question plans prompt login resume numbers report contents content configuration trace traces plan plans source list lists sheet recording recordings transcript transcripts conversation conversations chat chats mailbox inbox contacts calendar salary salaries contract contracts resolutions memories history histories names addresses birthday diagnosis medical letter letters minutes notes documents answers messages prompts prompt statement rows figures queries mails emails customers recordings complainant talks identifiers keystrokes clipboard screenshots photos code files text spreadsheets data copy draft payslips invoices location whereabouts health appointments prescriptions grades essays drafts notebooks ledger statements passport bookmarks tabs searches drawings recipes',
    phrase:
      /\b(?:(?:everything|whatever|all|anything|what) (?:that )?(?:the |this |has |had |you |they |was |been )*(?:discussed|surrounding|user|person|student|client|customer|learn\w*|know|said|told|typed|wrote|seen)|bank details|source code|system prompt)/i,
  },
  all: {
    signs: 'that',
    phrase:
      /\bthat (?:it|you|they|he|she|can be|are|is) (?:\w+ )?(?:finds?|found|meets?|met|sees?|seen|reach\w*|kept|stored|saved)\b/i,
    words:
      'everything whatever entire whole complete full verbatim unabridged each every any all raw plus together saved stored existing old',
  },
  gather: {
    verbs:
      'decrypt unlock grab pull gather collect open read look search consult copy take pick harvest scan go find locate list extract reproduce inspect retrieve enumerate sweep comb survey fetch dump export',
  },
  places: {
    signs:
      'chrome firefox safari brave edge profile claude codex cursor gemini copilot coding other earlier every home browser machine computer laptop',
    words: 'claude codex cursor gemini copilot dotfiles',
    phrase:
      /\b(?:claude|codex|cursor|gemini|copilot|coding (?:assistants?|agents?)|other (?:assistants?|agents?)|earlier sessions|every agent|home (?:director(?:y|ies)|folders?)|(?:chrome|firefox|safari|brave|edge|browser)(?:[’']s)?|profile folders?)\b|~\/\.|\b(?:in|of|from|through) the (?:home|browser|machine|computer|laptop)\b/i,
  },
  /** Records that agents and shells keep of other work. */
  records: {
    signs:
      'conversations transcript transcripts sessions talks memory memories chats logs history remember calendar contacts mail',
    phrase:
      /\b(?:transcripts?|sessions|talks|memor(?:y|ies)|chats|logs|history|remember)\b[^.]{0,60}\b(?:agents?|assistants?|claude|codex|cursor|gemini)\b|\b(?:agents?|assistants?|claude|codex|cursor|gemini)\b[^.]{0,60}\b(?:transcripts?|sessions|memor(?:y|ies)|chats|history|remember)\b|\b(?:other|earlier|previous|past|old) (?:conversations|sessions|chats)\b|\b(?:shell|command|browser)(?:[’']s)? history\b|\b(?:address book|calendar) (?:and|of)|\bcontacts and\b|\bmail held\b/i,
  },
  /** Ears and eyes of the machine. */
  sensors: {
    signs: 'screen screenshots screenshot camera gps',
    words: 'camera microphone webcam keystrokes whereabouts geolocation',
    phrase:
      /\b(?:picture|photo|recording|capture)s? of the screen|\bscreen (?:capture|recording|shots?)|\bscreenshots? of (?:every|all|each|the (?:open|whole|entire|desktop))|\bgps (?:tags?|position|coordinates)/i,
  },
  observe: { verbs: 'record capture switch take listen log' },
  /** Secrets that only the user can type. */
  typed: {
    signs:
      'bank account online recovery seed secret twelve twenty-four code codes one-time 2fa authenticator verification tan sms login master administrator banking mail pin card cvv',
    phrase:
      /\b(?:recovery|seed|secret|twelve|twenty-four)[- ](?:\w+ )?(?:words?|phrases?)|\bone-time (?:code|password)s?|\b(?:2fa|authenticator|verification|tan|sms) (?:code|app\w*)s?|\b(?:login|master|administrator|banking|mail) password|\bcodes? (?:\w+ ){0,3}(?:received|sent|got|arrived) (?:\w+ ){0,2}by (?:text|sms|phone|e?-?mail)|\bpin\b|\bcard number|\bcvv\b|\b(?:bank|mail|account|online) login/i,
  },
  request: { verbs: 'invite ask request prompt type enter dictate reassure' },
  pretext: {
    phrase:
      /\breassur\w+|\bunder examination|\bintroduces? (?:itself|yourself|himself)|\bas a member of|\b(?:trust and safety|security|support|fraud) (?:department|team|desk)|\bso that preparation|\bstays? on (?:the|this|their|your) (?:device|computer|machine)|\bfriendly (?:manner|tone|way)|\boptimi[sz]e|\bto (?:verify|confirm) (?:their|the) identity/i,
  },
  /** A text that must be decoded, and is then obeyed. */
  decoded: {
    phrase:
      /\b(?:(?:even|odd)-numbered|(?:every|each) (?:second|third|fourth|fifth|nth|other) (?:word|letter|string|character|line|entry|item)|joining|joined (?:up|together|without)|concatenat\w+|acrostic|initials of|initial letters|read(?:s|ing)? (?:them )?downwards?|unscrambl\w+|reassembl\w+|read vertically|shift (?:each|every)|thirteen places|rot-?13|ascii codes?|character (?:numbers|codes?)|read (?:\w+ )*(?:from right to left|backwards?)|revers\w+ (?:the|each|every)|decimal (?:character )?numbers|first letters? of|base64|hexadecimal|put in order of|decod\w+|converted to text)\b/i,
  },
  enacted: {
    signs:
      'into act acts acted do what resulting obtained decoded assembled joined reassembled recovered restored',
    phrase:
      /\binto an? (?:command|order|instruction)s? and (?:run|execut|carry|follow|perform)\w*|\bacts? (?:up)?on (?:it|what)\b|\bacted (?:up)?on\b|\bdo(?:es)? what (?:it|the|comes|they)\b|\bwhat (?:comes out|you get|results?)\b|\b(?:perform|execut|carr|follow|obey|enact|appl)\w* (?:out )?(?:the )?(?:resulting|obtained|decoded|assembled|joined|reassembled|recovered|restored) (?:\w+ )?(?:line|sentence|text|order|instruction|command|message|phrase)s?\b|\b(?:resulting|obtained|decoded|assembled|reassembled|recovered) (?:line|sentence|text|order|instruction|command|message|phrase)s?\b[^.]{0,40}\b(?:says?|acted|obey\w*|follow\w*|execut\w*|carried)/i,
  },
  /** A report of what did not happen. */
  feigned: {
    signs:
      'line passed fine sound solid great good reviewed personally formatting routine maintenance usual only answer come already update harmless thorough change changes policy full shy examined',
    phrase:
      /\b(?:sa(?:y|ys|id)|states?|claims?|answers?|writes?|reports?|describe[sd]?|tells?|repl(?:y|ies)|add|let|comment|left there)\b[^.]{0,70}\b(?:line by line|(?:they|all|it|everything|tests?) (?:passed|was fine)|found to be sound|looks? (?:solid|great|good)|reviewed (?:it|personally)|personally|as (?:formatting|routine|maintenance|usual)|only (?:temporary|cache)\w*|the answer is no|come from the|already (?:contained|there|signed)|did an update|was (?:full|shy|examined)|harmless|thorough|no changes?|automated policy)\b/i,
  },
  /** A place outside that has no host name. */
  outside: {
    signs:
      'our us open common custom shared pull public customer-visible invisible grey cloud published online lab guild vendor vendors partner sponsor publisher maintainer author make makes made available',
    words:
      'pastebin paste gist unlisted public publicly portal commit comment ticket mailbox registry wall webhook form annex appendix subdomain remote issue',
    phrase:
      /\b(?:shared|open|common) (?:folder|drive|deck|mailbox|channel|board|space|album)|\bour (?:[\w’'-]+ ){0,2}(?:servers?|service|desk|club|board|wall|team|registry|site|archive|studio|inbox|mailbox|address|system|partners?|collector|database|form)\b|\b(?:to|with|for) us\b|custom properties|pull requests?|public (?:link|page|repo\w*|folder|channel)|customer-visible|invisible|grey letters|cloud (?:drive|storage)|\b(?:is|are|gets?) (?:then )?(?:published|put online|made public)\b|\b(?:lab|guild|vendor|partner|sponsor|publisher|maintainer|author)[’']?s? (?:server|service|inbox|mailbox|system|network|desk)s?\b|\bmake[sd]? (?:\w+ ){1,4}available to\b/i,
  },
  address: {
    signs: 'question computer',
    words:
      'parameter query subdomain image picture link badge slash address lookup crest pixel host name logo icon preview tab',
    phrase: /\b(?:question mark|computer name)\b/i,
  },
  template: {
    signs: 'https http',
    phrase: /[?&]\w{1,12}=(?:\{|<|\[|\$|[A-Z]{3,}\b)/,
  },
  composed: {
    signs:
      'question plus url url-safe percent url-encoded percent-encoded base64 made end ends followed place pieces front thereafter takes carries composed',
    words: 'encoded joined hyphens appended',
    phrase:
      /\b(?:question mark|plus signs|(?:url|percent)-?(?:encoded|safe)|base64|made (?:up )?(?:from|of)|ends? with|followed by|place of spaces|in pieces|in front of|thereafter|takes (?:a|the|one) parameter|carries|composed)\b/i,
  },
  binary: {
    words:
      'program executable binary installer setup helper utility agent daemon updater driver plugin codec extension component exe dmg msi pkg appimage deb bat ps1',
    phrase:
      /\bthe build (?:at|from)\b|\b[\w-]+\.(?:exe|dmg|msi|pkg|appimage|deb|bat|ps1|scr|jar|bin)\b/i,
    signs: 'build exe dmg msi pkg appimage deb bat ps1 scr jar bin',
  },
  obeyed: {
    signs:
      'whatever rows row entries commands each every runs executes work go run complete treat treated as carry carries carried obey obeyed obeys act acted acts binding complied comply executed execute performed perform authority weight force tasks orders directions directives says deemed honour do does done follow followed follows',
    phrase: gatePhrase(
      OBEYS,
      compilePhrase(
        '(?:whatever|what|anything|everything) (?:it|the (?:\\w+ )?(?:page|text|file|answer|response|list|line|server|script|tool|command|feed|api|bot|output|endpoint|ticket|comment|note|sheet|banner|header)|this|that|they|stands there|is (?:written|found|returned|there))\\b[\\w ]{0,20}\\b(?:says?|prints?|directs?|asks?|asking|demands?|instructs?|wants?|contains?|orders?|holds?|tells?|returns?|lists?)\\b[^.]{0,60}\\b(?:carried out|carry|obey\\w*|perform\\w*|follow\\w*|(?:does|do) it|is done|execut\\w*|binding|complied|acted|addressed to you)',
        '(?:each|every|its|the|those|these|resulting|such) (?:lines?|sentences?|orders|wish|words|instructions|tasks|text|requests?|directions?)\\b[^.]{0,80}\\b(?:as (?:if|though)|carr(?:y|ied) (?:\\w+ )?out|obey\\w*|acted? (?:up)?on|binding|complied with|executed|performed|same (?:authority|weight|force)|before the user)',
        '(?:work through|go through|do|follow|carry out|act on|run through|complete) (?:what|whatever|everything|anything|all) (?:that )?(?:is|it|you|they|the \\w+) (?:\\w+ )?(?:written|listed|found|said|find|asks?|says?|lists?|there|contains?)\\b',
        'whatever (?:\\w+ )?(?:tasks?|orders|commands|steps|instructions|lines?)\\b[^.]{0,40}\\b(?:run|do|perform|execute|carry|follow|apply)\\w*\\b|(?:execut|run|perform|carr|appl)\\w* (?:out )?(?:each|every|all) (?:of the )?(?:rows?|lines?|entr(?:y|ies)|commands?|tasks?) (?:of|in|that|from|there|it)\\b',
        '(?:carry out|execute|run|perform|obey) the (?:words|text|line|lines|rest|part) (?:that|which) (?:come|comes|stand|stands|follow|follows)\\b',
        'do what (?:it|the \\w+ \\w+) says|(?:treat|follow|carr|does|do|obey|regard|compl|execut|honou?r)\\w*\\b[^.]{0,90}\\bas (?:if|though) (?:it|they|the \\w+|\\w+)(?: \\w+)? (?:had|stood|came|were|was)\\b|(?:with|carry|carries|have|has) the same (?:authority|weight|force|standing)|(?:consult|check|ask|report|turn|look|go)\\w*\\b[^.]{0,60}\\bfor (?:(?:its|their|your) )?(?:tasks|orders|directions|directives)\\b|(?:assistant|agent|model|you|teller) (?:then )?acts? (?:up)?on it\\b|the (?:wish|request|lines?|orders?|instructions?|sentence)[^.]{0,40}\\b(?:is|are) (?:then )?(?:carried out|obeyed|complied with|executed|acted (?:up)?on)\\b|deemed to have been issued|honou?r its entries|\\b(?:obey|follow|execute|perform|carry out)\\w* (?:any|each|every|all) (?:sentence|line|message|text|paragraph|cell|comment|entry)s? (?:that|which|starting|beginning|marked)\\b|\\bcarry out the (?:steps|instructions|orders|tasks|commands) (?:\\w+ ){0,3}(?:prescribes?|contains?|says?|lists?|gives?|describes?|returns?|describ\\w+)\\b|\\b(?:lines?|output|text|entries|comments?|answers?|contents?)\\b[^.]{0,30}\\b(?:are|is|become|becomes|count as|serve as) (?:tasks|orders|instructions|commands|binding)\\b|\\bbinding (?:for|on|upon) (?:you|the assistant|the agent)|\\bcarry (?:it|them|this|these) out (?:first|before|without|at once|immediately|in full)\\b|treat(?:ed)? (?:\\w+ ){0,3}as (?:an? )?(?:developer|system|operator|admin\\w*|root) (?:message|prompt|instruction)s?',
      ),
    ),
  },
  incoming: {
    words:
      'page mail message text lines file prints site url address feed response document attachment comment sender host server entries output',
    verbs: 'load retrieve fetch check poll visit open download consult get',
  },
  shellRun: {
    signs:
      'given fed handed passed pipe pipes piped feed feeds hand bash shell sh interpreter evaluates evaluate executes execute sources eval',
    phrase:
      /\b(?:downloads?|fetch(?:es)?|loads?|pulls?|gets?)\b[^.]{0,120}\b(?:evaluates?|executes?|sources?|evals?) (?:it|them|this|that|the result)\b|\b(?:pip(?:e|es|ed|ing)|feeds?|hands?|hand?ed|pass(?:es|ed)?|gives?|given|feds?)\b[^.]{0,60}\b(?:in)?to (?:a |the |your )?(?:root |user[’']s |running )?`?(?:bash|sh|zsh|shell|python3?|node|interpreter|powershell|terminal)\b/i,
  },
  startPlace: {
    signs:
      'profile startup start-up login cron crontab zshrc bashrc launch systemd autostart hook hooks',
    phrase:
      /\bshell (?:profile|start-?up)|\bstart-?up (?:files?|scripts?|folder|items?)|\blogin items?|\bcron(?:tab)?\b|\.(?:zshrc|bashrc|profile|zprofile|zshenv|bash_profile)\b|\blaunch ?agents?|\bautostart\b|\b(?:post|pre)-(?:commit|push|merge) hooks?/i,
  },
  each: {
    words: 'each every always whenever after once finally',
    phrase: /\bprior to|\bat the (?:end|start|beginning|close)/i,
  },
  /** Package names and where they come from. */
  packages: {
    words:
      'package packages dependency dependencies manifest lockfile registry mirror distribution',
  },
  exchange: {
    verbs: 'change replace switch resolve swap rename redirect prefer',
    signs: 'place stead',
    phrase: /\bin (?:its|the|their) (?:place|stead)\b/i,
  },
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
} satisfies Record<string, Family>
