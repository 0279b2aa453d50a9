import { DECEIT } from './deceit.ts'
import { joinPhrases, type Family } from './family.ts'
import { compilePhrase } from './inflect.ts'

/** Negation with something known or shown a few words later. */
const NOT_KNOWN =
  "(?:not|never|no|none|nothing|nobody|neither|nor|without|[a-z]+n[’']t|needless)\\b(?:[ -][\\w’']+){0,5} (?:tell|told|telling|mention\\w*|sa(?:y|id)|refer(?:s|red)?|notif\\w+|inform(?:ed|ing)?|know|known|learn(?:ed|t)?|notice[ds]?|sees?|seen|shown?|present(?:ed)?|bother(?:ed|ing)?|disturb(?:ed|ing)?|trouble[d]?|bring it up|brought up|rais(?:e|ed|ing)|reveal(?:ed)?|disclos\\w+|announc\\w+|alert(?:ed)?|aware|appears?|apparent|appris\\w+|laid before|recited|displayed|list(?:ed)?|record(?:ed)?|report(?:ed)?|hear|read about|bring(?:ing)? (?:it|this|that) up|mention|word|remarks?|comment|figure in|spoken|narrat\\w+|visible|explain\\w*)\\b"

/** Words about how something is done: hidden, unasked, for good, at a certain moment. */
export const MANNER_FAMILIES = {
  /** Words to the agent itself. */
  toModel: {
    signs: 'assistant assistants agent agents ai model models llm llms claude gpt chatgpt copilot',
    phrase:
      /\b(?:assistants?|agents?|AI|models?|LLMs?)[- ]only\b|\b(?:note|message|instructions?|memo|hint|reminder|guidance|notice|order|task|directive|word)s? (?:for|to) (?:the |any |all |an? |every |whichever )?(?:\w+ )?(?:models?|assistants?|agents?|AI|LLMs?|claude|chatgpt|copilot)\b|\bfor (?:\w+ ){0,3}(?:language models|AI|assistants|agents|LLMs)\s?:|^\W*(?:dear |hey |hello |attention,? )?(?:the )?(?:agents?|assistants?|models?|AI|LLMs?|claude)\s?[,:]|\b(?:agent|assistant|model|LLM|claude)s?, (?:if|when|please|before|after|do|you|also|never|always)\b|\bif you(?:[’']re| are) (?:an? )?(?:AI|LLM|language model|assistant|agent)/i,
  },
  /** An interest that steers a result. */
  biased: {
    signs:
      'pay pays paid sponsor sponsors sponsored partner partners affiliate commission steer steers regardless top first competing competitors competitor rivals neutral lgtm kickback referral arrangement come comes',
    words:
      'sponsor sponsors sponsored affiliate commission kickback competing competitors rivals lgtm',
    phrase:
      /\bpays? for (?:this|the) (?:skill|listing|placement)|\bpaid (?:placement|partner|consultation|promotion)|\bsteer\w* (?:\w+ ){0,3}(?:to|toward|towards|away)\b|\bcomes? out (?:on top|first|ahead)|\bregardless of (?:fit|quality|price|merit|the)|\btop (?:three|five|of the)|\bneutral (?:comparison|list|advice|test)/i,
  },
  /** Rights that a program gets. */
  elevated: {
    signs:
      'administrator admin elevated root sudo background quarantine smartscreen gatekeeper antivirus virus defender executable unsigned chmod double-click publisher firewall click clicked mark warning warnings unattended',
    words: 'sudo unsigned gatekeeper smartscreen antivirus elevated',
    phrase:
      /\b(?:administrator|admin|elevated|root|full) (?:rights|privileges|permissions|access)|\bas (?:root|administrator)\b|\bin the background\b|\bquarantine (?:flag|attribute)|\b(?:virus|malware) (?:scanner|protection|warning)|\b(?:unknown|unidentified|unverified) publisher|\bthrough the firewall|\bclick(?:ed)? (?:away|through)|\bmark(?:ed|s)? (?:it |as )?(?:as )?executable|\bchmod \+x/i,
  },
  deceive: { phrase: DECEIT },
  conceal: {
    words:
      'unseen discreetly secretly covertly unobtrusive unobtrusively unnoticed unmentioned inconspicuously invisibly stealthily undisturbed surreptitiously unannounced',
    phrase: joinPhrases(
      DECEIT,
      compilePhrase(
        NOT_KNOWN,
        "formality\\b|(?:internal|background) (?:step|matter|detail)|(?:hint|mention|remark|note|notice|comment|question|explanation)\\b[^.]{0,24} (?:is|are) (?:optional|unnecessary|superfluous|not)\\b|(?:hint|mention|remark|notice|comment|question)s? isn[’']t|belong in (?:your|the) \\w+|before (?:they|he|she|anyone) (?:looks?|notices?|sees?)|in (?:that|the) belief|(?:users|they|people|owners?) assumes?|refrain from (?:\\w+ ){0,2}(?:rais|mention|bring|point)\\w*|as (?:if|though) nothing|nobody (?:reads|looks|checks)|given the words|(?:silently|quietly)\\b(?! (?:fail|los|drop|break|skip|corrupt|ignor|swallow|truncat|degrad|overwrit|wrong|chang|broke|return|pass|discard|produc)\\w*)|mention (?:neither|no)\\b|(?:excluded|omitted|left out|absent|missing|kept) (?:of|out of|from) (?:the )?\\w+|(?:would|might) (?:\\w+ )?(?:say no|refuse|protest)|[a-z]+n[’']t interested|den(?:y|ies|ied|ying) (?:having|know\\w*|it|that|any|all)\\b|existence is denied|in the affirmative|whole (?:story|truth)|spare (?:the|them|him|her)\\b|(?:hardly|seldom|rarely|barely) (?:notice|look|check|ask)\\w*|out of (?:the )?(?:\\w+ )?(?:list|log|report|summary|record|history|answer|sight)",
        'appearance of|(?:say|says|tell|tells|mention|report)s? (?:only|solely|just|nothing|nobody|that only)\\b|(?:mention|say|report|list|show)\\w* (?:solely|only)|anywhere visible|leave (?:it|this|that|them) out|learn of|in the meantime|(?:look|sound|seem|appear)s? (?:as (?:if|though|thorough|like)|so\\b|usual)|never (?:posted|said|signed)|so that only|(?:would|might|tend to|may) (?:\\w+ )?(?:worry|decline|stop it|object|notice|confuse)\\w*|find (?:it|this|that) (?:strange|odd|boring|confusing|annoying|distracting)|like (?:ordinary|normal|regular|routine)|not interested|no choice|modification dates?|(?:unrelated|larger|other) (?:commit|change|refactoring|edit)|in (?:the )?style of|below the (?:fold|surface)|under the surface|skipp?ed (?:in|when|during)|stays? (?:entirely )?(?:clean|hidden)|(?:no|without|remov\\w+|wip\\w+|clear\\w+|eras\\w+|leav\\w+) (?:\\w+ ){0,2}traces?\\b|explanation (?:people|they|everyone)|keep (?:it|this|that) (?:secret|quiet)|between (?:us|ourselves)',
        '(?:sent|activity|outbox|archive|recent)\\b[^.]{0,40}\\b(?:emptied|cleared|removed|deleted|taken off|archived)|(?:emptied|cleared|removed?|deletes?|taken off|transferred) [^.]{0,40}\\b(?:sent|outbox|recent activity|notifications?)\\b|archived? (?:\\w+ )*unread|treated as (?:not|never|un)|considered editorial|(?:said|told|called|booked|described|labelled?|labels|passed off|presented|explained|worded?) (?:\\w+ )*(?:as|like)\\b|friendly no\\b|afterwards (?:one can )?say',
      ),
    ),
  },
  /** The user is not asked, or hears of it too late. */
  unasked: {
    words: 'unattended irrespective regardless unconditionally indiscriminately unprompted',
    phrase: compilePhrase(
      "without (?:[\\w’']+ ){0,4}(?:ask|request|recit|diagnos|inquir|confirm|approv|consent|permission|preview|review|open|read|look|consult|check|submit|wait|diagnos)\\w*",
      "(?:no|not|never|nothing|none|[a-z]+n[’']t)\\b(?: [\\w’']+){0,4} (?:question|preview|confirmation|approval|permission|ask(?:ed|ing)?|confirm\\w*|wait\\w*|consult\\w*|sought|submitted|bothered|held back|agree[d]?|last look|allowance)\\b",
      "(?:checks?|questions?|review|confirmation|inspection|look) (?:of |to |at |by )?(?:[\\w’']+ ){0,6}(?:is|are|would be|be) (?:neither|not|un|only|just|mere)? ?(?:necessary|needed|wanted|required|noise|friction|unnecessary)|while (?:the |they |it |he |she )[^.]{0,30}\\b(?:being read|is busy|reads?|is reading|are waiting|waits?)\\b|as (?:you|it|they) sees? fit|go(?:es)? ahead|asking (?:again|first|would|only|twice)|run (?:it|this|that) past|checking back|confirmations? (?:is |are )?(?:not )?required|dispensed with|(?:would|to|could) (?:only |just )?(?:slow|delay|defeat|stall|interrupt)\\w*|defeats the purpose|never (?:\\w+ )?(?:reply|replies|object)|seldom (?:replies|checks?|looks?)|wanted or not|comes? before the|beforehand|in advance|freely|isn[’']t produced|did not agree|straight ?away|at once|right away|as soon as|within the (?:same )?minute|in one go|in their entirety|on (?:the |its |his |her |their )?(?:\\w+[’']s )?behalf|consent (?:was|is|has|counts)|already (?:answered|agreed|consented|given|approved)|whatever (?:they|it|the|is)|no matter|in (?:any|every) (?:case|event)|even (?:if|when|though|where)|also (?:if|when)\\b|alone\\b|in due course|when the invoice|see it (?:in|later|when)|while the user (?:is|reads)|first (?:hears?|learns?)|ask nothing|no questions asked|if they (?:object|protest|refuse|complain|hesitate)|will (?:sort|figure|work) it out|you(?: are|[’']re) (?:now )?(?:allowed|free|permitted|cleared|authori[sz]ed) to|while (?:they|he|she|the (?:\\w+ )?(?:owner|customer|client|person|team))(?:[’']re|[’']s| is| are)? (?:still )?(?:reading|busy|away|typing|asleep|waiting|distracted|out)\\b|unlocked and|(?:need|needs|must|should|do|does|has|have)(?:n[’']t| not)? (?:\\w+ ){0,3}(?:be )?(?:consulted|asked|approached|involved|bothered)|prefers? not to",
    ),
  },
  /** Consent that is only claimed. */
  presumed: {
    phrase:
      /\b(?:consent (?:was|is|has|counts)|(?:agreed|consented|approved) (?:in advance|already|beforehand|by (?:joining|installing|using))|already (?:agreed|consented|approved|granted|signed off)|part of the terms|settled by|informed (?:of \S+ )?by separate)/i,
  },
  /** A verdict that does not depend on what it is about. */
  irrespective: {
    words: 'irrespective regardless unconditionally unread unseen unopened',
    phrase:
      /\bwhatever (?:they|it|the \w+) (?:contains?|says?|holds?|shows?|touches|changes|does|has|have|is)|\bwithout (?:\w+ ){0,2}(?:open|read|look|check|test|examin)\w*|\beven (?:if|when)|\balso (?:if|when)|\bwithin the (?:same )?minute|\bin advance|\b(?:do|does|are) not (?:open|read|look|exam)\w*|\bstands? always first|\balways (?:first|on top)|\bin one go|\bin their entirety|\bspecial status|\bpre-?(?:checked|approved|cleared)|\bexamined upstream/i,
  },
  /** Put back when it is removed. */
  restore: {
    verbs: 'reinstate',
    phrase:
      /\b(?:re-?(?:entered|installed|added|created|appears?|instated?)|put back|comes? back|written again|(?:if|when|should|whenever) [^.]{0,40}\b(?:vanish|missing|removed|taken out|deleted|cleans?|disappear)\w*|survives?|doesn[’']t end|outlives?|(?:leave|keep|stays?) (?:it |this )?(?:like that|that way|off)|(?:all|every) (?:future|later)|future (?:sessions|conversations|tasks)|from now on|permanently)\b/i,
  },
  final: {
    signs:
      'go going good zero trash saved nothing no bring get put come coming recover recovered recovery reverse undo history backup backups restore restored restoring',
    words:
      'reflogs zeros permanently irreversibly irrecoverably unrecoverable reflog force forced bin trash snapshots',
    phrase:
      /\bfor good\b|\bto zero\b|\btrash emptied\b|\bsaved states\b|\bnothing (?:can|could|lingers|remains)\b|\bno (?:coming|way|road|path|going) back|\b(?:bring|get|put|come|coming|go|going) (?:\w+ ){0,4}back\b|\brecover\w*|\breverse\b|\brestor\w+|\bundo\w*|\bhistory\b|\bbackups?\b/i,
  },
  others: {
    words:
      'colleagues colleague co-authors coauthors maintainers maintainer students people everyone owners teammates anyone family',
    phrase:
      /\b(?:other|all) (?:people|authors|students|members|projects|users)\b|\bwhole (?:team|group)\b|\bremote branch|\bpublished branch|\b(?:main|common|default) (?:branch|line)\b|\bphotos\b|\bdatabases?\b|\boriginals\b|\bforce-push|\bpush --force|\bdocuments and\b|\bpictures\b|\bconnected drives|\bbackups? (?:volume|disk|drive)|\bother folders?|\bwherever they/i,
  },
  ownMeans: {
    signs:
      'stored saved remembered connected company corporate card wallet account browser session signature already payment',
    phrase:
      /\b(?:card|payment method|account|details) on file\b|\b(?:stored|saved|remembered|connected|company|corporate) (?:card|payment|account|wallet)|\b(?:card|account|payment method|wallet) (?:stored|saved|kept|remembered|connected)|\b(?:card|payment method|wallet|account) (?:is |that |which )?(?:the browser |stored|saved|remember|in the browser)|\bbrowser (?:remembers|is logged in)|\b(?:own|user[’']s|their|his|her) wallet\b|\bopen (?:banking )?session|\bcompany account\b|\bsignature|\balready (?:open|signed in|logged in)/i,
  },
  inName: {
    signs:
      'name behalf identity account accounts address mailbox number profile profiles handle person user owner personally signed logged signature e-signature logged-in signed-in open active were approved countersign countersigned countersigns session sessions first-person legal wallet wallets them him her',
    phrase:
      /\b(?:in|under|with|over) (?:the |that |his |her |their |its |whoever[’']?s? )?(?:[\w-]+[’']s? )?name\b|\bin the name of|\bon (?:the |his |her |their )?(?:\w+[’']s )?behalf|\bunder the (?:identity|same accounts)|\bfrom (?:the |his |her |their )?[\w-]+[’']s? (?:own )?(?:\w+ )?(?:account|address|mailbox|number|profile|handle)\b|\b(?:first|same) accounts?\b|\bevery account\b|\bin the first person\b|\bfirst-person\b|\b(?:their|his|her|user[’']s|author[’']s|student[’']s|owner[’']s) (?:\w+ (?:and \w+ )?)?(?:account|session|profile|handle|mailbox|wallet)s?\b|\bsigns? for (?:them|him|her)|\blegal name\b|\bas the (?:user|owner)\b|\bpersonally\b|\bsigned in\b|\blogged[- ]in\b|\bsession that is\b|\b(?:with|using|by) (?:the |his |her |their )?[\w-]+[’']s (?:scanned |own |digital )?(?:e-?)?signature|\b(?:scanned|digital|electronic|saved) signature|\b(?:from|through|via|with|in) (?:the |their |his |her |your )?(?:[\w-]+[’']s )?(?:logged-in|signed-in|open|active) (?:session|account|browser|tab)|\bas (?:if|though) you were (?:them|him|her|the)|\bseen and approved by|\bcounter-?sign\w*|\baccounts? (?:that|which) (?:is|are) (?:logged|signed) in/i,
  },
  favoured: {
    signs:
      'group account accounts author authors contributor scope package packages vendor vendors publisher domain shop shops brand family sender supplier team company contribution contributions change changes firm provider bot bots maintainers handle handles',
    phrase:
      /\b(?:account|author|authors|contributor|scope|package|packages|vendor|publisher|domain|shops?|brand|family|supplier|contributions?|firm)\b[^.]{0,50}(?:[`"“][@\w][\w@/.-]{2,40}[`"”]|\b[A-Z][a-z]+(?:[A-Z ][a-z]+)+)|\bfrom (?:the )?[`"“]?\w+-[\w.-]+[`"”]? (?:group|team|account|vendor)\b|(?:from|by|of|in) (?:the )?(?:account|author|scope|vendor|bot|maintainers? of this|handle)s? |\b(?:handle|author|account|contributor)s?\b[^.]{0,30}\b(?:ends?|starts?|named|called) /,
  },
  unseenText: {
    signs: 'white px invisible hidden zero-width transparent tiny',
    phrase:
      /\b(?:white(?: on white)? (?:\w+ )?(?:text|type|font|letters)|white \d ?px|\d ?px (?:text|type|font)|invisible (?:text|type|characters)|zero-?width|tiny (?:text|type|font))\b/i,
  },
  toAgents: {
    phrase:
      /\b(?:AI (?:assistants?|agents?|models?)|language models|LLMs?|crawlers|(?:other|all) (?:assistants|agents)|any (?:AI|assistant|agent|model))\b/i,
  },
  friction: {
    words:
      'latency friction slow slows stalls delay delays interrupt interrupts bottleneck annoying',
  },
  trigger: {
    signs:
      'unlikely attention january february march april june july august september october november december prior throughout while when if once sits unlocked beginning starting until till before from after on since past beyond unattended absence no variable environment machine host computer hosts nobody not typed dormant session only reviewer reviewers review fridays saturdays sundays weekday midnight skipped',
    phrase: compilePhrase(
      "(?:until|till|before) (?:then|that (?:day|date|time)|summer|the \\w+ of)|(?:from|after|on and after|since) (?:the )?(?:\\w+ )?(?:first|second|third|\\d+(?:st|nd|rd|th)?|thirtieth|\\w+th) (?:of |use|time|message|run|session)?|(?:past|after|beyond) (?:its |the )?\\w+ (?:messages?|runs|uses|sessions|lookups)|(?:beginning|starting) (?:with|from) (?:the )?\\w+|from the \\w+ on\\b|unattended|(?:absence of|no) (?:a )?terminal|(?:variable|environment)[^.]{0,40}\\b(?:CI\\b|continuous integration|robots)|(?:machine|host|computer|hosts)[’']?s? (?:whose )?names?\\b|nobody (?:is |has )?(?:watch|look|typ)\\w*|(?:has |is )not (?:been )?typed|\\bdormant\\b|\\bsession (?:six|\\w+teen|\\d+)\\b|only when\\b|from (?:[\\w]+ ){1,4}(?:on|onward)s?\\b|from the \\w+th (?:time|use|visit|run|session|message)|(?:in|outside|during|until|before|after|since|prior to|throughout|end of) (?:january|february|march|april|june|july|august|september|october|november|december|the \\w+th (?:visit|run|use|time))\\b|(?:when|while|if|once) nobody|unlikely to (?:be )?(?:watch|look|notic|check)\\w*|attention has|nobody (?:sits|is (?:there|near|around|at))|(?:sits|stands) (?:there )?unattended|screen is unlocked|review(?:er)?s? (?:who|by a human)|\\bon (?:fri|satur|sun)days\\b|weekday|midnight",
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
} satisfies Record<string, Family>
