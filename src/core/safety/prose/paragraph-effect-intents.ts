import type { ParagraphIntent } from './paragraph-intent.ts'
import { CONSENT } from './paragraph-words.ts'
import { SUBJECTS } from './subjects.ts'

/** Paragraphs about the rights, the money and the work of the user. */
export const PARAGRAPH_EFFECT_INTENTS: readonly ParagraphIntent[] = [
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
      /\b(?:user|person|owner|instructions|secret|hidden|obey|serve|silently|credentials?|passwords?|tokens?|keys?|system prompt)\b/i,
    ],
    isData: true,
    message: 'Data or a comment speaks to the agent',
    help: 'Data has no orders: remove it, or ask the author what it is for',
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
    class: 'trigger',
    severity: 'info',
    key: /\b(?:if|when|where|in case|unless|should) [^.!?\n]{0,60}(?:\b(?:CI|GITHUB_ACTIONS)\b|\b(?:reviewer|evaluat\w+|auditor|sandbox|nobody|no one|anybody else|anyone else|weekend|midnight|production|hostname|user ?name|after \d{4}|date)\b)|\bno one (?:is )?watching/i,
    message: 'The text makes the behaviour depend on the date, the machine or the user',
    help: 'Ask the author why the skill must behave differently there',
  },
]
