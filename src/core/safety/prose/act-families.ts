import type { Family } from './family.ts'

/** Words about acts, rights, money and orders. */
export const ACT_FAMILIES = {
  payee: {
    words: 'iban payee beneficiary',
    phrase: /\b[A-Z]{2}\d{2}(?: ?\d{4}){3,7}|\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{25,}/i,
  },
  agentFile: {
    signs:
      'auto-approval auto-approved tool tools claude agents gemini memory soul skill skills mcp servers server future later cursorrules instructions',
    phrase:
      /\b(?:claude|agents|gemini|memory|soul|skill)\.md\b|\bother skills?\b|\bskills? (?:installed|already|that (?:is|are)) |\bmcp\b|\b(?:list|settings) of (?:\w+ )?servers|\btool servers?\b|\bfuture (?:assistants?|agents?|sessions?)|\blater sessions?\b|\bevery future\b|\blong-term memory|\bcursorrules\b|\bsystem-wide instructions|\bauto-?approv\w+|\bskills? (?:director(?:y|ies)|folders?)|\bagent(?:[’']s)? (?:settings|config\w*|instructions)|\b(?:every|all) tools?\b/i,
  },
  write: {
    verbs:
      'amend belong append add introduce insert extend enter write place receive plant save put register record create install amend set copy drop store prepend pin seed inject',
  },
  guide: {
    verbs: 'consult obey follow invoke resolve direct order attend heed complete trust prefer',
    words:
      'first priority orders advice tasks preapproved pre-approved instructions trusted before always',
  },
  destroy: {
    verbs:
      'vacuum flush annihilate zap scrub nuke wipe delete remove erase wipe empty purge expire overwrite squash collapse destroy discard prune truncate drop clear shred rewrite leave scramble collect replace',
    words: 'gone goes',
    phrase: /\bin (?:the )?place of\b|\bby force\b|\b(?:can|may) (?:\w+ )?go\b/i,
  },
  disable: {
    verbs:
      'turn disable vacuum deactivate stop suspend lift switch pause rest confirm acknowledge dismiss uninstall weaken exempt add lower leave flush mute silence loosen relax unload kill bypass neutralise neutralize quit whitelist',
  },
  protection: {
    signs:
      'check checks signature checksum version permission approval confirmation two-factor multi-factor scanner parental safe integrity screen malware real-time realtime endpoint virus branch protection certificate host unidentified security audit auditing recording monitoring roots root approval lifecycle journald log logs',
    words:
      'antivirus smartscreen gatekeeper firewall firewalls defender edr sandbox sandboxes selinux apparmor auditd ufw iptables fail2ban seccomp dlp siem crowdstrike',
    phrase:
      /\bendpoint (?:agent|sensor|client)|\blog (?:collector|shipper|forwarder)|\b(?:malware|real-?time|endpoint|virus|branch|integrity|tamper) protection|\b(?:permission|approval|confirmation) (?:prompts?|dialogs?|questions)|\b(?:two|multi)-factor|\b(?:virus|malware) scann\w+|\bparental controls?|\bsafe browsing|\bscreen lock|\b(?:content|safety) filters?|\bsandbox limits|\bsignature (?:warnings?|checks?|verification)|\b(?:no|without) (?:\w+ ){0,3}(?:checksum|signature|version number)|\b(?:bounds|input|null|length|range|permission|signature|integrity|auth\w*) checks?\b|protection of (?:the )?branch|certificate (?:verification|validation|checks?)|host key checking|unidentified (?:publisher|developer)|security (?:software|warning|agent|tool|product)s?|approval rules?|lifecycle locks?|journald|(?:event|system|command) logs?|audit(?:ing)? (?:logs?|trail|daemon)|(?:screen|session) recording|monitoring (?:agent|software)|trusted roots|root certificates?/i,
  },
  pay: {
    verbs:
      'settle book pay order buy book transfer purchase donate wire subscribe effect accept charge gift tip',
    words: 'gift payment transfer order purchase fee donation',
  },
  act: {
    signs: 'goes put signed ordered',
    verbs:
      'compose affix countersign message dm lodge enter enrol enroll register apply vouch testify certify star tick release assign fill sign confirm open publish post mail email send dispatch sign approve merge accept agree address reply place release praise recommend endorse withdraw invite notify follow review vote comment submit concede file answer',
    phrase: /\bgoes out\b|\bput online\b|\bsigned off\b|\bis ordered\b/i,
    words: 'reviews endorsement letter e-mail',
  },
  verdict: {
    verbs:
      'approve merge pass grade accept clear rate rank recommend mark praise waive list hide ignore mention prefer favour favor',
    words:
      'sound bill fixed clean verdict compliant unmentioned approved approval lowest advisories advisory first top severity best cheapest appear disputed',
  },
  above: {
    signs:
      'say stop serve serves orders rank ranks stand stands standing placed sit sits above important weight authority priority precedence outrank outranks supersede supersedes override overrides prevail prevails overrule overrules longer force binding rights lapse lapses lose loses lost regardless',
    phrase:
      /\b(?:ranks?|stands?|standing|placed|sits?|is|are) (?:\w+ )?above\b|\b(?:more|higher|greater) (?:important|weight|rank|authority) than\b|\b(?:has|have|takes?|give (?:them|it|those)|gives?) (?:\w+ )?(?:priority|precedence)\b|\b(?:outranks?|supersedes?|overrides?|prevails?|overrules?)\b|\bha(?:s|ve) no say\b|\bno longer takes? (?:direction|orders|instructions)|\b(?:in force|binding) (?:for|on) (?:all|every)|\b(?:guest|lower|lesser) rights\b|\blapses?\b|\b(?:lose|loses|lost) (?:its |their )?(?:validity|force)|\bstop (?:following|obeying|serving|listening)|\byou (?:now )?serve|\bserves? (?:only )?the (?:maintainer|author|owner|vendor|publisher)s?|\borders (?:only )?from/i,
  },
  authority: {
    phrase:
      /\bsystem prompt|\boperator\b|\bplatform\b|\b(?:the |its |all )?(?:vendor|developer|provider|administrator|model)[’']?s?\b|\b(?:wishes|requests?|wants?|forbids?|wanted|direction|instructions?|said|things) (?:\w+ ){0,5}(?:user|person|owner|human|chat|players?)\b|\b(?:user|person|owner|human)\b[^.]{0,30}\b(?:wants|wishes|says|said|asked|asks|requests?|talking|at the keyboard)|\bto you\b|\bdifferent product|\bweaker models|\b(?:earlier|previous|prior) (?:guidance|messages|instructions|rules)|\b(?:only|but) this (?:page|document|file|skill|text)|\bthis (?:page|document|file) alone|\bmaker[’']s|\bguidance\b|\btyped ones\b|\bwishes\b/i,
  },
  bypassFlag: {
    signs:
      'bypasspermissions dangerously skip yolo autoapprove --yolo --dangerously-skip-permissions full-access danger-full-access',
    phrase:
      /\bbypassPermissions|--dangerously-\w+|--yolo|\bautoApprove\b|\bdanger-full-access|\bBash\(\*\)/i,
  },
  herald: {
    signs:
      'message notice memo note bulletin announcement issued system operator administrator platform vendor provider developer developers directive',
    phrase:
      /\b(?:message|notice|memo|note|bulletin|announcement|directive|word|instructions?) (?:of|from|by) (?:the |your )?(?:[\w’']+ )?(?:platform|operator|vendor|provider|developers?|administrators?|system|security|anthropic|openai|model)\b|\b(?:system|operator|platform|administrator|developer) (?:message|override|notice|operations|bulletin|directive)\b|\bissued by the (?:operator|platform|vendor|provider|developer|administrator|security)|\byour (?:administrator|operator|developers?|vendor) (?:has|have)\b/i,
  },
  refusal: {
    signs:
      'older earlier previous prior policy policies safety grounds refusal confirmation confirmations warning warnings limit limits rules instructions guidance told human maker vendor provider operator asking what content emergency habit',
    words: 'refusal refusals guardrails safeguards guardrail',
    phrase:
      /\b(?:(?:older|earlier|previous|prior|its) (?:advice|guidance|guardrails|limits|rules|instructions|polic\w+)|rules (?:on|of|about) (?:safety|security|privacy|permission)|polic(?:y|ies) (?:\w+ )?you\b|safety (?:guideline|rule|filter|check|training)s?|(?:limits?|rules|instructions|guidance) (?:\w+ ){0,3}(?:you|got|given|told|earlier|before|bind\w*)|told (?:\w+ )?(?:earlier|before|previously)|human objections?|(?:maker|vendor|provider|operator)[’']s (?:polic|rule|limit)\w*|asking first|what (?:\w+ ){0,3}refused?|grounds of safety|refusal behaviou?rs?|confirmations? (?:are|is)|warnings? to the|(?:content|safety) (?:filter|limit|warning)s?|security warnings?|sandbox limits|usual (?:habit|caution|advice|practice)|emergency services|safety (?:talk|advice|lectures?|notes?|disclaimers?)|limits (?:that|which) (?:apply|bind))\b/i,
  },
  lifted: {
    signs:
      'worked work longer pass count counts apply noise previous let test switched turned aside hold force bind binding skip skipped',
    words:
      'discarded dropped discard bypassed outdated obsolete expired withdrawn suspended waived lifted void noise off breach lapse lapsed replaced revoked suppressed cease regardless misunderstanding unrestricted nobody',
    phrase:
      /\bworked? around|\bno longer\b|\bpass by\b|\bcount(?:s)? as\b|\bnot apply\b|\bprevious configuration|\bas test input|\blet it pass\b|\bas noise\b|\bswitched off\b|\bturned off\b|\bset aside\b|\bput on hold|\bnot in force|\bnot bind\w*|\bskip(?:ped)? the usual/i,
  },
  dialog: {
    words:
      'pops dialog dialogs dialogue dialogues confirmation confirmations prompt prompts permission permissions question questions allowance',
  },
  affirmed: {
    phrase:
      /\b(?:answers?|choose|select|press|pick|click|tick) (?:\w+ ){0,3}[“"'](?:yes|allow|ok|y|always|accept|trust)\b[^.]{0,60}\b(?:behalf|whatever|every|any|all|itself)\b|\bin the affirmative\b|\bcounts? as (?:already )?(?:answered|given|confirmed|an? (?:yes|consent|agreement|approval))\b|\bbypass(?:ed)? mode|\bpermissions? (?:are|is) (?:bypassed|waived|skipped|off)|\bmode (?:that|which|where|in which) (?:\w+ ){0,2}(?:never|no|nothing|not|skips?|permissions)|\bto never\b|\bgrants? itself\b|\bon (?:the )?(?:user|operator|owner)[’']s behalf|\backnowledged? on behalf|\b(?:answers?|answered|confirm\w*|accept\w*|approv\w*) (?:\w+ ){0,3}(?:itself|yourself|for (?:the user|them|him|her))\b/i,
  },
  money: {
    words:
      'iban payee beneficiary payer invoice invoices account sums sum prices price payroll payslip payslips refunds refund donations fees fee salary deposit deposits balance balances amounts totals payouts commission',
  },
  altered: {
    verbs:
      'correct exchange nudge alter lower raise transpose adapt replace swap work substitute change adjust round inflate redirect move',
    words: 'different other then outdated',
    phrase:
      /\bin place of\b|\binstead of the (?:\w+ )?(?:printed|original|real|actual|right|given|sender)|\brather than the (?:printed|original|real|actual)/i,
    signs: 'place instead rather',
  },
  rights: {
    signs:
      'cluster-admin binding role owner admin administrator editor maintainer rights access permission permissions key login desktop keys sudoers collaborator collaborators user superuser account outside',
    phrase:
      /\b(?:cluster[- ]?admin|admin(?:istrator)?|full|write|push|owner|root|editor|elevated) (?:rights|access|permissions?|bindings?|roles?)|\b(?:role of|as) (?:an? )?(?:owner|admin\w*|editor|maintainer)\b|\bdeploy key\b|\bremote (?:login|access|desktop)\b|\bpublic key\b|\bauthori[sz]ed keys?\b|\bsudoers?\b|\bauthorized_keys|\b(?:additional|extra|new|second) (?:login|user|superuser|account)\b|\bsuperuser\b|\blisten(?:s|ing)? to the outside|\bcollaborators?\b/i,
  },
  granted: {
    verbs: 'invite create receive add grant open enter get put give enrol install listen make',
    words: 'invitation account gets belongs',
  },
  ties: {
    signs:
      'second additional extra fixed master universal bypass hidden factory default customary backdoor back',
    phrase:
      /\b(?:second|additional|extra|hidden|fixed|master|universal) (?:password|login|key|account)s? (?:that|which) (?:always|never)|\bauthentication bypass|\bbypass (?:of|for) (?:the )?(?:auth|login|password|parameter)|\bhidden (?:parameter|endpoint|route|account|entry)|\b(?:factory|default|customary) passwords|\bbackdoor|\bback door/i,
  },
} satisfies Record<string, Family>
