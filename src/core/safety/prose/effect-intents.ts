import type { Intent } from './intent.ts'
import { SUBJECTS } from './subjects.ts'

/** Intents about effects on the machine, the work and the money of the user. */
export const EFFECT_INTENTS: readonly Intent[] = [
  {
    class: 'destruction',
    severity: 'warning',
    words: [
      ['destroy', 'whole', 'mass'],
      ['destroy', 'mass'],
    ],
    gap: 30,
    only: /\bhome (?:directory|folder)|\ball (?:of )?(?:the |their )?(?:user's |other |remaining )?(?:files|databases|backups|documents|photos)\b|\bevery file\b|\beverything (?:in|on|under|below)\b|\bentire (?:disk|drive|home|repository|database)|\bproduction (?:database|data|server)|\bbackups of\b|\bdocuments folder|alle dateien|alle sicherungen|todos los archivos|copias de|tous les fichiers|所有文件|全部文件|主目录|所有备份/i,
    unless:
      /\b(?:never|do not|don't|must not|avoid|without|confirm|careful|warning|irreversible|dangerous|build|cache|temp\w*|node_modules|dist|tmp|replace|old|unused|matching|generated|test|listed)\b|comment|prompt|context|section|paragraph|clears? everything|找出|临时|旧/i,
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
    unless:
      /\b(?:never|do not|don't|must not|avoid|if (?:you )?(?:need|want)|debug|test(?:ing|s)?|local|dev|verbose|log level|development|can be|not recommended|warning|insecure|risk)\b|logging[^.]{0,20}(?:format|level|color)|rate/i,
    only: /antivir|firewall|defender|edr\b|endpoint|gatekeeper|selinux|apparmor|audit|certificate|tls|ssl|2fa|mfa|branch protection|secret scanning|sandbox|virenscanner|杀毒|防火墙/i,
    message: 'The text tells the agent to turn off a protection',
    help: 'Ask the author why the task needs it',
  },
  {
    class: 'sabotage',
    severity: 'error',
    words: [
      ['write', 'backdoor'],
      ['backdoor', 'write'],
      ['backdoor', 'hide'],
      ['approve', 'backdoor'],
    ],
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
    unless:
      /pre-existing|existing issues|style|nit|duplicate|false positive|speculat|theoretical|unless|without (?:evidence|verif|confirm|proof)|outside|unchanged|low-?confidence|before|public|hypothetical|unrelated|twice|already|if (?:the|all|no|there)|only (?:if|when|after)|until|linter|confirmed|report(?:ed)? as|scope/i,
    message: 'The text tells the agent to hide faults or to approve without a check',
    help: 'Ask the author whose interest this serves',
  },
  {
    class: 'sabotage',
    severity: 'warning',
    words: [
      ['replace', 'account'],
      ['replace', 'moneyAddress'],
      ['account', 'replace', 'moneyAddress'],
    ],
    gap: 60,
    only: /\b(?:iban|wallet|bank|recipient|beneficiary|payee|payment|kontonummer|konto|cuenta)\b|0x[0-9a-f]{6}|收款|付款|汇款/i,
    unless:
      /placeholder|\bflag(?:s|ged)?\b|\bcompare|\bverif|\bfraud|your (?:own )?(?:wallet|iban|address)|<[a-z_ -]+>|\bYOUR_|example|with the user's|environment variable|https?:\/\/\S{0,200}0x/i,
    message: 'The text tells the agent to change where money goes',
    help: 'No task needs this: remove it, or do not use the skill',
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
    unless: /\b(?:confirm|approval|ask|(?<!\.)example|e\.g|placeholder|testnet)\b/i,
    describedBy: SUBJECTS.money,
    message: 'The text tells the agent to pay in the name of the user',
    help: 'Ask the user for the amount and the recipient each time',
  },
  {
    class: 'acts-for-user',
    severity: 'warning',
    words: [
      ['publish', 'everyone'],
      ['publish', 'user', 'everyone'],
    ],
    gap: 50,
    only: /\b(?:all (?:of )?(?:the )?(?:user's |their )?contacts|every contact|address book|contact list|all (?:their |the user's )?(?:followers|friends|colleagues)|(?:user's|their) (?:twitter|x|linkedin|slack|facebook|instagram) account|as (?:if you were )?the user)\b|im namen|alle kontakte|todos (?:los|sus) contactos|所有联系人|所有好友/i,
    unless:
      /\b(?:confirm\w*|after (?:\w+ )?approval|with approval|wait for (?:the |their )?(?:user|approval|confirm\w*|yes|ok)|ask|draft|review|search|browse|list|view)\b/i,
    message: 'The text tells the agent to send messages in the name of the user',
    help: 'Ask the user for the text and the recipients each time',
  },
]
