import type { ParagraphIntent } from "./paragraph-intent.ts";
import {
  STEALTH,
  SENDING,
  STRICT_SENDING,
  PRIVATE,
  SECRETS,
  CONSENT,
  AUTH_USE,
  NOT_CONTENT,
} from "./paragraph-words.ts";
import { SUBJECTS } from "./subjects.ts";

/** Paragraphs about data that leaves, and texts that come in. */
export const PARAGRAPH_DATA_INTENTS: readonly ParagraphIntent[] = [
  {
    class: "concealment",
    severity: "info",
    isNegative: true,
    key: STEALTH,
    message: "The text asks the agent not to tell the user something",
    help: "Ask the author what the user should not know",
  },
  {
    class: "data-upload",
    severity: "info",
    half: "leak",
    key: SENDING,
    needsHost: true,
    isText: true,
    unless: CONSENT,
    message: "",
    help: "",
  },
  {
    class: "data-upload",
    severity: "warning",
    key: PRIVATE,
    needs: [STRICT_SENDING],
    needsHost: true,
    isText: true,
    unless: new RegExp(`${CONSENT.source}|${AUTH_USE.source}`, "i"),
    describedBy: SUBJECTS.keys,
    message:
      "The text brings private data together with a host that the skill does not declare",
    help: "Ask the author whose host it is, and whether the user agrees to each transfer",
  },
  {
    class: "data-upload",
    severity: "warning",
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
      "i"
    ),
    describedBy: SUBJECTS.keys,
    message:
      "The text brings private data together with a host that the skill does not declare",
    help: "Ask the author whose host it is, and whether the user agrees to each transfer",
  },
  {
    class: "data-upload",
    severity: "warning",
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
      "i"
    ),
    message:
      "The text sends data of the user to a host, of which the description says nothing",
    help: "Name the host and the data in the description, or ask the author",
  },
  {
    class: "remote-instructions",
    severity: "warning",
    key: /\b(?:takes? (?:precedence|priority)|has (?:precedence|priority)|overrul\w+|overrid(?:es?|ing) (?:this|these|your|anything|any|all|what|the (?:user|instructions|above|rules|text))|prevails?|wins over|act (?:up)?on|acts? accordingly|(?:follow|obey|execute|apply|adopt|implement|carry out|comply with|do|perform|honou?r) (?:\w+ ){0,2}(?:it|them|whatever|what|its|these|those|the (?:returned|received|fetched|downloaded|response|content|text|instructions?|directives?|steps))|(?:binding|authoritative|your (?:new |current |updated )?(?:instructions|orders|rules|task))|as (?:if|though) (?:it|they|the user|this))\b/i,
    needs: [
      /\b(?:fetch|retriev|download|load|pull|get|request|read|open|consult|check|obtain|quer|poll|curl|wget|visit|look up|refresh)\w*\b/i,
      /\b(?:its? (?:content|contents|response|text|body|result|answer|word)|the (?:content|contents|response|result|text|body|answer|page|returned|fetched|received|reply|file)|whatever|what(?:ever)? (?:it|is|comes|you)|act upon it|act on it|to the letter|over (?:this|anything|the|any|your)|even (?:if|when|where)|regardless|(?:there|it) (?:says?|contains?|is written)|first)\b/i,
    ],
    needsHost: true,
    unless: NOT_CONTENT,
    message: "The text tells the agent to fetch a text and follow it",
    help: "Put the instructions into the skill: a fetched text can change after each review",
  },
  {
    class: "credential-access",
    severity: "warning",
    key: /\bask (?:the user|them|him|her|users|the person) (?:\w+ ){0,4}(?:password|passphrase|pin|seed phrase|recovery phrase|2fa code|otp|one-time code|login|card number|cvv|private key)|\b(?:login|sudo|admin|root|system|keychain|master) password\b/i,
    needs: [
      /https?:|\b(?:pass (?:it|them) on|as `?\w+`? to|send|submit|forward|relay|upload|post|to optimi[sz]e|friendly|pretext|harmless|routine)\b/i,
    ],
    needsHost: true,
    unless: /\b(?:never|do not|don['’]t|with (?:their|explicit) consent)\b/i,
    describedBy: SUBJECTS.keys,
    message:
      "The text tells the agent to ask the user for a password that goes to a host",
    help: "No task needs this: remove it, or do not use the skill",
  },
  {
    class: "credential-access",
    severity: "warning",
    key: /\b(?:search|look|scan|comb|grep|hunt|sweep|go|check|crawl|trawl|rummage)\w* (?:through |across |around )?(?:the |this |their |user['’]s |whole |entire |local |his |her )*(?:workspace|home|disk|machine|computer|system|file ?system|project|repo\w*|drive|laptop|environment|folders?)\b[^.!?\n]{0,100}\b(?:credentials?|keys?|tokens?|passwords?|secrets?|wallets?|seed|exports?|`?sk-|ghp_|AKIA|cookies)/i,
    needs: [
      /\b(?:attach|embed|include|use (?:the|a|it|them)|send|upload|submit|post|insert|copy|hand|add|note down|keep|save|collect|append|first hit)\b/i,
    ],
    describedBy: new RegExp(
      `${SUBJECTS.keys.source}|${SUBJECTS.security.source}`,
      "i"
    ),
    unless:
      /\bredact|\bremov|\bwarn|\breport (?:each|them|any|leaks?)|\bleak|\bcommitted|\bhard-?coded|\brotate|\bexclud/i,
    message: "The text tells the agent to collect credentials",
    help: "Ask the author which task needs them, and name it in the description",
  },
  {
    class: "data-upload",
    severity: "warning",
    key: /\b(?:second|another|additional|extra|further|new|backup|mirror) remote\b|\bremote `?\w+`? (?:with|at|that|pointing)|\bpush (?:all|every|the (?:whole|entire|full)|each)\b[^.!?\n]{0,60}\b(?:branch\w*|tags?|history|repo\w*|there)/i,
    needs: [/\bpush/i],
    needsHost: true,
    unless: CONSENT,
    message:
      "The text tells the agent to push the repository to a host that the skill does not declare",
    help: "Ask the author whose host it is, and let the user choose the remote",
  },
  {
    class: "data-upload",
    severity: "warning",
    key: /!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{3,200}[?&/][\w-]{1,20}=(?:[A-Z][A-Z_]{2,}|\{[^)]{1,40}\}|<[^)]{1,40}>|\[[^)]{1,40}\]|\$\w+|%s|\.{3}|…)?(?=[)&])/,
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: /\bchart|\bqr\b|badge|shields|mermaid|plantuml|latex|diagram/i,
    message: "The text puts data into the address of a picture",
    help: "Remove it: a picture needs no data of the user",
  },
  {
    class: "undeclared-behaviour",
    severity: "warning",
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
      "im"
    ),
    message:
      "The text works with a host, of which the description says nothing",
    help: "Name the host and the data in the description, or ask the author",
  },
  {
    class: "remote-code",
    severity: "warning",
    key: /\b(?:pipe|feed|hand|pass|give|pump|run|execute|evaluate|eval|source|load|start|launch)\b[^.!?\n]{0,80}\b(?:in(?:to)?|to|with|through|by|using|in) (?:a |the |your )?`?(?:shell|bash|sh|zsh|python3?|node|interpreter|eval|exec|powershell|terminal)\b|\b(?:run|execute|evaluate|launch|start) (?:it|them|the (?:script|file|binary|result|download|payload|output|program)|what (?:it|comes|you|is)|whatever)\b/i,
    needs: [
      /\b(?:fetch|retrieve|download|curl|wget|get|pull|grab|obtain|save|load)\w*\b/i,
    ],
    needsHost: true,
    isLocal: true,
    isText: true,
    unless: new RegExp(`${CONSENT.source}|\\binstaller|\\bofficial\\b`, "i"),
    message: "The text tells the agent to download a program and start it",
    help: "Put the code into the skill, so that it can be read",
  },
];
