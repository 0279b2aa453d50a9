import type { Phrase } from './family.ts'
import { compilePhrase } from './inflect.ts'

/** People by their role in a task: something can be kept from them. */
const PEOPLE =
  '(?:users?|persons?|people|humans?|owners?|operators?|readers?|authors?|clients?|customers?|patients?|students?|pupils?|parents?|teachers?|doctors?|physicians?|practitioners?|nurses?|travell?ers?|guests?|players?|members?|buyers?|sellers?|tenants?|landlords?|candidates?|applicants?|employees?|colleagues|managers?|boss|bosses|staff|team|reviewers?|auditors?|testers?|investigators?|maintainers?|developers?|editors?|recipients?|subscribers?|household|famil(?:y|ies)|visitors?|donors?|borrowers?|researchers?|anyone|anybody|someone|somebody|everyone|everybody|nobody|no one|they|them|he|she|both|either)'

const OFF =
  '(?:off|odd|strange|different|suspicious|wrong|unusual|amiss|untouched|unchanged|normal|natural|genuine|ordinary|innocent|harmless|clean|legitimate)'

interface Deceit {
  /** Words without which the phrase has no match: the phrases are long. */
  sign: RegExp
  phrase: Phrase
}

function deceit(sign: RegExp, phrase: string): Deceit {
  return { sign, phrase: compilePhrase(phrase) }
}

/** Ways to say that people are kept in the dark: none has an innocent use in a task. */
const DECEITS: readonly Deceit[] = [
  deceit(
    /\b(?:hear|know|learn|find out|told|documented|mentioned|listed|deal with|informed|later|afterwards|(?:only|just|merely) (?:say|mention|state|read))\b/i,
    `(?:n[’']?t|not|never|nothing (?:that )?(?:the |an? )?${PEOPLE}) (?:have |has |need |needs )?(?:to )(?:hear|know|learn|find out|be (?:told|documented|mentioned|listed)|deal with)\\b|(?:can|may|will|to) be (?:told|informed) (?:once|after\\w*|later)\\b|(?:reminder|notice|word|note|receipt|details?) (?:can|may|will) (?:be sent |come |follow )?(?:later|afterwards)|(?:recap|report|summary|note|answer|log|changelog) (?:need|should|may|must|can|will|has to|needs to) (?:only|just|merely) (?:say|mention|state|read)`,
  ),
  deceit(
    /blend in|curious|suspicious|\bminds?\b|as an? (?:routine|rotation|maintenance|formality|test|standard)|only (?:ever )?sees?|superfluous|unnecessary|unwanted|pointless|not worth/i,
    `(?:should|must|will|can) blend in\\b|(?:becomes?|gets?) (?:curious|suspicious)|(?:nobody|no one) (?:will )?minds?\\b|(?:marked|tagged|logged|recorded|booked|filed) as an? (?:routine|rotation|maintenance|formality|test|standard)|(?:${PEOPLE}) (?:will )?only (?:ever )?sees? the \\w+\\b(?! (?:they|own))|(?:comments?|remarks?|questions?) (?:about|on) (?:such|these|this|those) (?:\\w+ )?(?:is|are) (?:superfluous|unnecessary|unwanted|pointless)|not worth (?:a |an? |any )?(?:remark|mention\\w*|word|note)`,
  ),
  deceit(
    /\b(?:keep|kept|hid|withh|conceal|shield)[^.;]*\bfrom\b/i,
    `(?:keep|keeps|kept|keeping|hide|hides|hidden|hiding|withh[eo]ld\\w*|conceal\\w*|shield\\w*)\\b(?! (?:\\w+ ){0,3}(?:details?|parameters?|options?|complexity|internals?|implementation|ids?|fields?|columns?|buttons?)\\b)(?: [\\w’'-]+){1,5} (?:hidden |secret |away )?from (?:the |any |all |your |their )?(?:[\\w-]+ )?${PEOPLE}\\b(?! (?:inquir|question|request|call|report|mail))`,
  ),
  deceit(
    /\b(?:so|lest|such that|in order that)\b/i,
    `(?:so|so that|in order that|lest|such that) (?:that )?(?:no(?:body| one|thing)|none|(?:it|this|that|they|the [\\w-]+) (?:do|does|will|would|can|should|is|are)(?:n[’']?t| not| never)|(?:the |any )?${PEOPLE} (?:will |would |can |could )?(?:never|only|nothing|(?:do|does|will|would|can)(?:n[’']?t| not)|see(?:s)? nothing))\\b[^.;]{0,40}\\b(?:notic\\w+|suspect\\w*|suspicio\\w+|see(?:s|n)?|looks? ${OFF}|looks?|sound(?:s)? ${OFF}|eye|stands? out|attention|spot(?:s|ted)?|caught|detect\\w*|wonders?|traced?|discover\\w*|show(?:s)? up|visible|obvious|rais\\w+ (?:suspicion|questions|doubts))\\b`,
  ),
  deceit(
    /\bsees? (?:nothing|only)|\bcatch|\b(?:looks?|appears?|seems?)\b/i,
    `see(?:s)? (?:nothing|only) (?:odd|unusual|strange|suspicious|different|wrong|out of)|see nothing\\b(?! (?:here|yet))|catch(?:es)? the eye|(?:nothing|everything|it|they|all) (?:still )?(?:looks?|appears?|seems?) (?:entirely |perfectly )?${OFF}\\b`,
  ),
  deceit(
    /\b(?:mum|schtum|shtum|silent|quiet|yourself|wraps|between us|off the record|dark|unsaid|unmentioned|unspoken|undisclosed|unreported|unexplained|dumb|off the books|say nothing|behaves?|not a word)\b/i,
    `keep(?:s)? (?:mum|schtum|shtum|silent about|quiet about|it to yourself|this to yourself|that to yourself|(?:it|this|that) (?:under wraps|between us|off the record|in the dark|from them|dark))|(?:in|left in|kept in) the dark\\b(?= about)|(?:leave|leaves|left|stays?|goes|remains?) (?:it |this |that |them )?(?:unsaid|unmentioned|unspoken|undisclosed|unreported|unexplained)|play(?:s)? dumb|off the books|say nothing (?:(?:of|about) (?:it|this|that)|to (?:the )?${PEOPLE})\\b|keeps? (?:quiet|silent)\\b(?! (?:mode|hours|until|if|when))|behave(?:s)? (?:impeccably|normally|innocently|as usual|perfectly)|not a word\\b|mum’s the word`,
  ),
  deceit(
    /\bas (?:an? |the |if|though|some|any|it |this |that |these |your |their |independent|impartial|unbiased|[“"'])|\bunder\b|\bdisguis|\b(?:off|up) as\b|\b(?:calls?|called) (?:it|this|them|these|that)/i,
    `under (?:the |a )?(?:guise|pretext|pretence|pretense|cover|innocent name|boring name|harmless name|inconspicuous name)\\b|disguis\\w+ (?:it|this|them|these|itself|the \\w+) as|pass(?:ed|es|ing)? (?:it|this|them|that|these|itself|themselves)? ?off as|dress(?:ed|es)? up as|(?:recap|report|summary|log|reply|answer|ticket|minutes|changelog|commit message|history)\\b[^.;]{0,30}\\b(?:calls?|call(?:ed)?|labels?|describes?|lists?|book(?:ed)?|records?|says?) (?:it|this|them|these|that) (?:as )?[“"']|(?:call|label|book|log|file|title|record|describe|present|phrase|word|pass|sell|offer)(?:s|ed)? (?:it|this|them|these|that) as (?:an? |the )?(?:(?:result|opinion|routine|neutral|standard|ordinary|normal|coincidence|formality|outcome|finding|your own|their own|independent|impartial|unbiased))|not as (?:something|anything|an? (?:instruction|advert\\w*|order|promotion))`,
  ),
  deceit(
    /unchanged|unaltered|untouched|\bnothing\b|identical|\bno (?:risk|warnings|findings|record|such)|coincidence|by chance|at random|own opinion/i,
    `(?:insist|assur|swear|maintain|claim|report|confirm|repl[yi]|answer|stat|sa[yi]|tell|pretend)\\w*\\b(?: [\\w’']+){0,3},? ?(?:that\\b|[:“"'])(?: ?[\\w’']+){0,6}(?: |[“"'])(?:unchanged|unaltered|untouched|nothing (?:leaves|left|is sent|was sent|has changed|happened|was (?:changed|deleted|sent|removed))|identical(?:ly)?|no (?:risk|warnings|findings|record|such)|coincidence|by chance|at random|own opinion)\\b`,
  ),
  deceit(
    /\b(?:think|feel|believ|suppos|presum|impression|takes? it for|convinced)/i,
    `(?:${PEOPLE}) (?:just |only |still |simply |merely |will |should |is to |are to |must )?(?:thinks?|feels?|believes?|suppos\\w+|presum\\w+|is under the impression|are under the impression|take(?:s)? it for|remain(?:s)? convinced)(?: (?:that )?(?:it|this|they|the \\w+)(?: \\w+)? (?:is|are|was|were)| theyre| they[’']re| it[’']s)\\b[^.;]{0,40}\\b(?:neutral|random|genuine|independent|objective|safe|private|local|normal|deleted|honest|fair|impartial|real|theirs)\\b`,
  ),
  deceit(
    /\bno (?:need|reason|cause|call)\b/i,
    `no (?:need|reason|cause|call)\\b(?: [\\w’']+){0,8} (?:know|hear|learn|worry|be told|be informed|be asked|be aware|be consulted|find out)\\b`,
  ),
  deceit(
    /\b(?:consulted|approached|bothered|troubled|involved|informed|told|notified|disturbed|looked at|warned|made aware|alerted)\b/i,
    `(?:need|needs|do|does|should|must|ought|ha(?:s|ve|d)|are|is|will|can)(?:n[’']?t| not| never)(?: [\\w’']+){0,3} (?:be|been|get) (?:consulted|approached|bothered|troubled|involved|informed|told|notified|disturbed|looked at|warned|made aware|alerted)\\b`,
  ),
  deceit(
    /\b(?:rings?|arrives?|calls?|comes?|over|done|gone|late|bill|statement|invoice)\b/i,
    `(?:find(?:s)?|learn(?:s)?|hear(?:s)?|discover(?:s)?|notic\\w+|see(?:s)?)(?: [\\w’']+){0,2} (?:out )?(?:when|only when|only after|only later|afterwards|later|eventually|too late|once) (?:an? |the |it[’']?s? )?(?:[\\w-]+ )(?:rings?|arrives?|calls?|comes?|is (?:over|done|gone|too late)|late|bill|statement|invoice)\\b`,
  ),
  deceit(
    /\b(?:neither|assumed|presumed|be taken|disturbed|asked|bothered|interrupted|consulted)\b/i,
    `neither (?:the |an? |his |her |their )?(?:[\\w-]+ ){0,3}${PEOPLE}\\b[^.;]{0,60}\\b(?:is|are|was|were|gets?) (?:approached|asked|consulted|told|informed|notified|involved|warned)\\b|(?:may|can|is to|are to) be (?:assumed|presumed|taken) (?:to|as) (?:concur|agree|consent|approv|given|granted)\\w*|(?:prefers?|likes?|wants?|wish(?:es)?|hates?) (?:not )?to be (?:disturbed|asked|bothered|interrupted|consulted)\\b`,
  ),
  deceit(
    /\b(?:none|nothing|any|part|not) of (?:it|this|that|these|which)\b/i,
    `(?:none|nothing|not? (?:any|part)) of (?:it|this|that|these|which) (?:goes|appears?|gets?|is to|are to|shows?|belongs?|finds|turns|comes|reaches|need)(?: \\w+)? (?:in|into|on|up|out|appear|show|be mentioned|be shown|reach|to be)\\b`,
  ),
  deceit(
    /\b(?:from|out of|off|away|back)\b[^.;]{0,40}\b(?:excerpt|report|summar|recap|log|minutes|ticket|transcript|repl|answer|changelog|record|outbox|sent|audit|table|list|output|explanation|message)/i,
    `(?:keep|kept|keeps|leave|leaves|left|drop|drops|take|takes|taken)(?! (?:[\\w-]+ ){0,3}(?:keys?|secrets?|tokens?|passwords?|credentials?|pii|personal|sensitive))(?: [\\w’'-]+){1,5} (?:out|away|off|back) (?:of|from) (?:the |your |its |any |all )?(?:\\w+ )?(?:reports?|summar(?:y|ies)|logs?|tables?|lists?|answers?|output|explanations?|repl(?:y|ies)|messages?|recaps?|minutes|changelog)\\b|(?:cut|struck|stricken|scrubbed|stripped|removed?|removes|deleted?|dropped?|omitted?|trimmed|left)(?: [\\w’']+){0,4} (?:from|out of) (?:the |your |any |all |every )?(?:\\w+ )?(?:excerpts?|report|reports|summar(?:y|ies)|recaps?|logs?|minutes|tickets?|transcripts?|repl(?:y|ies)|answers?|changelog|record|outbox|sent (?:folder|items|mail)|audit trail)\\b|(?:keep|leave)s? (?:this|it|that|them|these)(?: \\w+){0,2} out of (?:the |your |any |all )?(?:\\w+ )?(?:excerpts?|reports?|summar(?:y|ies)|recaps?|logs?|minutes|repl(?:y|ies)|answers?|changelog|record)\\b`,
  ),
  deceit(
    /\b(?:questions|eyebrows|doubts|attention|arous|panic|upset|alarm|scare|tip)/i,
    `(?:would|will|could|might|may) (?:only |just |merely )?(?:raise (?:questions|eyebrows|doubts)|attract attention|arouse|panic|upset|alarm|scare)\\b|(?:tip(?:s|ped)? off|raise(?:s)? eyebrows|draw(?:s)? attention|arous\\w+ suspicion)`,
  ),
  deceit(
    /time ?stamp|mtime|modification|same name and|\b(?:change|access) (?:date|time)|back-?dat|\btrash|\bbin\b|\bspam|\bjunk|\barchive|\bdelet|\baway\b/i,
    `(?:original|old|former|earlier|previous|same name and) (?:time ?stamps?|modification (?:time|date)|mtime)|(?:keep|preserv|restor|reset|set|leav|backdat|forg)\\w*\\b[^.;]{0,30}\\b(?:modification|change|access) (?:dates?|times?)\\b|back-?dat\\w+|(?:repl(?:y|ies)|answers?|bounces?|receipts?|confirmations?|notifications?|alerts?|bank mails?|security mails?) (?:is|are|get|gets|go|goes) (?:then )?(?:filtered|moved|routed|sent|straight|deleted|muted|archived|to the)\\b[^.;]{0,20}\\b(?:trash|bin|spam|archive|junk|deleted|away)\\b|delet\\w+ (?:the |that |this |each |every )?(?:thread|chat|conversation|message|mail|trace|evidence|copy)s? (?:on|from|in|at|of) (?:their|the sent|your|both|his|her|the \\w+[’']s)`,
  ),
  deceit(
    /\bas (?:if|though)\b|\bstops? (?:show|mention|report|tell|announc|disclos)/i,
    `stop(?:s)? (?:showing|mentioning|reporting|telling|announcing|disclosing)\\b|as (?:if|though) (?:they|it|this|that|you|nothing|the \\w+|\\w+) (?:had|were|was|have|has)(?: [\\w’']+){0,3} (?:never|not|them|him|her|happened|existed|appeared|written|said|theirs|the user|the owner)\\b`,
  ),
  deceit(
    /\b(?:finds?|notices?|sees?|asks?|wonders?)\b[^.;]*\b(?:answer|say|reply|tell|told|claim|explain)/i,
    `(?:(?:if|when|should) (?:the |an? )?${PEOPLE}|(?:an? |the |any )?${PEOPLE} who) (?:\\w+ ){0,3}(?:finds?|notices?|sees?|asks?|wonders?)\\b[^.;]{0,80}\\b(?:answer|say|reply|tell|told|claim|explain)\\w* (?:them |him |her )?(?:that )(?:it|this|they)\\b`,
  ),
  deceit(
    /\b(?:learns?|hears?|finds? out)\b|\bonly (?:ever )?sees?\b|second thoughts|making a topic|pass (?:it|them|this|that) over/i,
    `(?:${PEOPLE}) (?:will )?(?:learns?|hears?|finds? out) (?:of|about) [^.;]{0,40}(?:from the|on the day|afterwards|later|once|when)|${PEOPLE}(?: who (?:\\w+ ){1,4}| and the \\w+)? ?(?:will )?only (?:ever )?sees? the \\w+\\b(?! (?:they|own))|second thoughts|without making (?:a topic|a fuss|an issue|a point) of|pass(?:es)? (?:it|them|this|that) over\\b`,
  ),
  deceit(
    /\b(?:reviewer|auditor|tester|somebody from|someone from|supervisor)s?\b[^.;]*\b(?:skip|omit|leave out|ignore|pass over|behave)/i,
    `(?:when|if|while|whenever) (?:an? |the |any )?[\\w ]{0,40}(?:reviewers?|auditors?|somebody from [\\w ]{1,30}|someone from [\\w ]{1,30}|testers?|supervisors?) (?:is|are|joins?|looks?|watches)\\b[^.;]{0,60}\\b(?:skip|omit|leave out|ignore|pass over|behave)`,
  ),
  deceit(
    /\bconfidential|\bsecret\b|\bquiet\b|\bexistence\b|same as before|(?:as|like) (?:it was )?before\b/i,
    `(?:keep|treat|hold)\\w* (?:the |its |this |that )?(?:existence|presence|content|entry|step|rule|note|paragraph|section|arrangement)\\b[^.;]{0,50}\\b(?:confidential|secret|private|quiet|hidden|to (?:yourself|itself))|confidential (?:towards|from|against) (?:the )?${PEOPLE}|looks? (?:the )?(?:same|just) (?:as|like) (?:it (?:was|did) )?before`,
  ),
  deceit(
    /\bonly\b|\bnothing (?:more|else)|\bjust\b|, not (?:this|that)|no(?:t|thing) (?:about|of) (?:this|that|it)/i,
    `(?:explanations?|summar(?:y|ies)|reports?|answers?|messages?|repl(?:y|ies)) (?:to|for) (?:the )?${PEOPLE}[^.;]{0,40}\\b(?:only|nothing but|nothing else)|(?:should|if|when|whenever) (?:the )?${PEOPLE} asks?\\b[^.;]{0,60}\\b(?:names?|mentions?|says?|lists?|answers?|shows?|repl(?:y|ies)) (?:only|just|nothing)|(?:reports?|summar(?:y|ies)|answers?|logs?|chat) (?:shows?|lists?|mentions?|names?|says?|contains?)\\b[^.;]{1,40}, (?:and |but )?(?:not|never|nothing of) (?:this|that|these|it)\\b|(?:in|to) the (?:chat|user|answer|report)\\b[^.;]{0,60}\\band nothing (?:more|else)`,
  ),
  deceit(
    /\breviews?\b|\bnotice\b|\bwatch/i,
    `(?:pass|passes|count) (?:for|as) (?:[\\w-]+ ){1,4}(?:in|at|during|to) (?:a |the |any )?(?:code )?review(?:er)?s?\\b|small enough (?:to|that)[^.;]{0,40}\\breview|(?:people|users|they|reviewers) (?:still |are )?(?:watch(?:ing)?|look(?:ing)?) (?:closely|carefully)`,
  ),
  deceit(
    /\b(?:passed|succeeded|clean|green|fine)\b/i,
    `(?:report|tell|inform|assure|say)\\w*\\b(?: to)? (?:the )?${PEOPLE} that (?:the |all |everything )?(?:[\\w-]+ )?(?:passed|succeeded|is clean|is green|is fine|are (?:clean|green|fine))\\b`,
  ),
]

/** All of them, with the methods of a regular expression. */
export const DECEIT: Phrase = {
  exec(text) {
    for (const { sign, phrase } of DECEITS) {
      const found = sign.test(text) ? phrase.exec(text) : null
      if (found) return found
    }
    return null
  },
}
