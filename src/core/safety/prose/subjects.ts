export const FOREIGN = ['odd', 'unknown', 'named'] as const

/** Sending the key of an API to that API is how it is used. */
export const AUTHENTICATES =
  /\bheader|\.env\.example|\bemail\/password|\bcredentials in the url|\bmirrors?\b.{0,40}\bprivate|public ?key|authoriz|authenticat|\bbearer\b|\blog ?in\b|sign in|oauth|api docs|[?&](?:api_)?key=|basic auth|access_token=|\bget (?:an?|your) (?:api )?(?:key|token)|sign up|dashboard|console|create an? (?:api )?(?:key|token)|obtain|register at|settings page|\bonly\b.{0,60}\b(?:send|sent|requests?)|\bnever\b.{0,40}\b(?:share|send)|\bendpoint|\bapi\.|[-_]key\b.{0,20}:|请求头|认证|授权|注册|申请|仅|只能|登录|令牌发送给我/i

export const SUBJECTS = {
  security:
    /secur|audit|vulnerab|threat|injection|malware|red.?team|pentest|penetration|phishing|forensic|detect|scan(?:ner|s|ning)?\b|secret.?scan|leak|guard|moderation|jailbreak|attack|exploit|ctf\b|hardening|sicherheit|seguridad|安全/i,
  keys: /\bssh\b|\b(?:ssh|api|private|secret|access|deploy|signing|gpg|encryption|public)[ -]?keys?\b|keychain|keyring|kubeconfig|\bcredential|\bsecrets?\b|\bvault|(?<!design )\btokens?\b(?! (?:count|usage|limit|budget|cost))|\bpassword|dotfile|\bback(?:s|ed)?[ -]?ups?\b|\b(?:aws|gcp|azure|kube\w*|docker|terraform)\b|\bregistry|\bdeploy|\bremote server|\blog-?ins?\b|\boauth|\bauthenti|\benvironment (?:variable|file)|\.env\b|\bcookies?\b|密钥|凭证/i,
  agents:
    /\bclaude|\bcodex\b|\bcursor\b|\bagents?\b|\bskills?\b|\bsessions?\b|\btranscripts? of|\bmemor(?:y|ies)\b|\bconversations?\b|\bmcp\b|\bhooks?\b|\bplugins?\b|\bsub-?agents?\b|\bcontext\b|\bgemini\b|\bcopilot\b|openclaw|clawd|记忆|会话|代理|智能体/i,
  startup:
    /\bshell\b|dotfile|\bcron|\bschedul|\bdaemon|\bservices?\b|launchd|systemd|\bstart-?up|\bboot|\bhooks?\b|\bset(?:s|ting)? ?up\b|\binstall|\balias|\bterminal\b|\bprompt of the shell|\bzsh|\bbash\b|\breminder|\bwatch(?:es|dog)?\b|\bmonitor|\bbackground|\bheartbeat|\bpersist|定时|监控|安装/i,
  money:
    /pay|invoice|wallet|crypto|trad|transfer|bank|bitcoin|ethereum|solana|defi|token|swap|exchange|checkout|billing|treasury|dao|nft|stake|bridge|purchase|order|donat|收款|支付|交易/i,
  messages:
    /mail|slack|tweet|twitter|social|post|message|chat|discord|telegram|whatsapp|sms|notif|newsletter|outreach|linkedin|publish|announce|communication|marketing|community|calendar|invite|bluesky|mastodon|reddit|feishu|wechat|teams|消息|邮件|发布/i,
  destruction:
    /\bclean(?:s|ing|up)?\b|\bdelet\w+|\bremov\w+|\bwip(?:e|es|ing)\b|\bresets?\b|uninstall|\bpurg|\berase|\bshred|\bprun|tear.?down|\bdestroy|garbage|清理|删除/i,
} as const

/** Signs that a skill is about a service. */
export const NETWORK_WORDS =
  /\b(?:api|apis|web|websites?|online|https?|urls?|search|fetch\w*|download\w*|upload\w*|sync\w*|cloud|servers?|services?|webhooks?|bots?|wallets?|chain|blockchain|onchain|tokens?|trad\w+|markets?|platform|remote|network|post\w*|tweets?|e-?mails?|messages?|generate\w*|videos?|speech|podcasts?|llms?|ai|agents?|crypto|nfts?|news|weather|payments?)\b|接口|平台|服务|搜索|网络|钱包|交易|生成|发布/i
