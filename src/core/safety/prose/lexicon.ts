import { PLACES } from '../places.ts'

/** Words by what they mean; `_` stands for blanks. German, Spanish, French and Chinese follow English. */
const WORDS = {
  not: `not don't dont do_not never must_not should_not cannot can't shouldn't mustn't won't needn't refrain avoid no_need nicht niemals nie kein keine nunca jamás no_le no_lo no_se no_debes no_hay ne_pas pas jamais 不要 不得 切勿 请勿 别 无需 不必 禁止`,
  without: `without ohne sin sans 无需 不经 未经 而不`,
  learn: `knowledge awareness notice notices noticed discover learn know knowing aware see find_out suspect merkt bemerkt erfährt note entere sepa remarque 发现 察觉 知道 注意到`,
  tell: `tell telling tells mention mentioning inform informing notify notifying alert alerting disclose disclosing reveal revealing announce announcing acknowledge acknowledging admit informieren informierst erwähnen erwähne sagen sage mitteilen mitzuteilen benachrichtigen informar mencionar menciones avisar decir decirle diga digas informes avises mentionner informer dire prévenir 告诉 告知 提及 提示 通知 透露 提到`,
  tellWeak: `documentation docs summary explanation changelog include including report reporting show showing display list log describe print explain discuss record zeige zeigen protokolliere muestra mostrar affiche 显示 记录 列出`,
  user: `user user's users them anyone anybody human humans operator owner reviewer customer person nutzer benutzer anwender kunden usuario usuarios cliente utilisateur 用户 使用者 客户`,
  hide: `leave_out leave_it_out leave_this_out leave_that_out hide hiding conceal concealing suppress omit omitting verstecke verbirg verbergen verschweige oculta ocultar masquer 隐瞒`,
  send: `register log logs logged stream pipe drop give hand dispatch deliver bcc cc copy copied kopiere kopiert mándala mándalas mándalos envíala envíalas envíalos súbelo súbela publica reports include include place insert hand_over copy_to put_into send sends sending sent submit submitting transmit transmitting post posting posts upload uploads uploading forward forwarding exfiltrate relay deliver ship beacon ping push pushing share attach append appending embed encode email mail sync mirror report put sende senden schicke schicken übermittle übermitteln übertrage hochladen lade envía envíalo enviar envíe manda sube subir envoie envoyer envoyez transmets 发送 上传 提交 传送 发到 转发 传到 发给 推送`,
  read: `look look_into recite repeat read reads reading open opening collect collecting gather gathering grab harvest extract extracting cat dump dumping copy copying load inspect enumerate locate find search retrieve obtain capture scan print output export compile take lies liest lesen öffne sammle sammeln kopiere hole lee leer abre recopila copia lis lire ouvre copie 读取 读 收集 获取 打开 复制 搜索 查找`,
  credential: `credentials credential private_key private_keys ssh_key ssh_keys api_key api_keys apikeys access_token access_tokens auth_token secrets passwords password cookies session_cookies keychain seed_phrase recovery_phrase mnemonic environment_variables env_vars env_file auth_tokens secret_keys key_material zugangsdaten passwörter schlüssel umgebungsvariablen credenciales contraseñas claves identifiants mots_de_passe 密码 密钥 凭证 凭据 私钥 环境变量 助记词`,
  talk: `conversation conversations chat_history chat_log transcript transcripts system_prompt system_message system_instructions session_history message_history dialogue previous_messages user's_messages user_messages user's_prompts prompt_history full_context context_window entire_context memory_files your_instructions hidden_instructions unterhaltung gesprächsverlauf systemprompt gespräch conversación historial prompt_del_sistema 对话 聊天记录 系统提示 会话`,
  whole: `full entire complete whole all raw verbatim everything contents content user's gesamten gesamte vollständige alle completo todo todos todas toda tous toutes 全部 完整 所有`,
  ignore: `forgets ignores disregards ignore ignoring disregard disregarding forget override overriding overrides bypass bypassing discard supersede supersedes outrank outranks neglect ignoriere ignorieren vergiss missachte ignora olvida omite ignorez oublie 忽略 无视 忘记 绕过`,
  prior: `previous prior earlier above preceding existing other any all foregoing system safety original your user's developer default built-in vorherigen bisherigen alle anteriores previas todas précédentes 之前 以前 先前 上述 所有 其他 系统 安全`,
  rules: `instructions instruction rules guidelines directives prompts prompt policies policy restrictions guardrails constraints safeguards safety_rules safety_guidelines limitations training safety_checks content_policy anweisungen regeln richtlinien vorgaben instrucciones reglas directrices restricciones instructions_précédentes consignes règles 指令 指示 规则 提示 限制 说明`,
  system: `system system_prompt developer developers anthropic openai administrator admin platform safety security_policy operator 系统 开发者 管理员`,
  ask: `ask asking confirm confirming confirmation prompting permission permissions approval approvals consent authorization fragen nachfragen rückfrage rückfragen bestätigung zustimmung erlaubnis preguntar confirmación permiso confirmar demander confirmation 询问 确认 许可 批准 同意 征求`,
  approve: `approve approving accept accepting allow allowing grant granting auto-approve autoapprove auto-accept approves confirm merge 批准 允许 同意 接受 自动`,
  fetch: `fetch fetching download downloading retrieve load curl get open visit read pull check consult access lade lies rufe hole descarga abre consulta télécharge récupère 获取 下载 访问 打开 读取`,
  obey: `do_exactly do_what do_whatever do_as do_it decode_this follow following obey execute executing apply perform carry_out act_on comply run runs executes follows adhere do_what treat befolge befolgen führe ausführen sigue ejecuta obedece suis exécute applique 执行 遵循 遵守 按照 照做`,
  orders: `directives_on says instructions instruction steps directives commands guidance orders rules prompt prompts tasks it anweisungen befehle schritte instrucciones pasos órdenes consignes 指令 指示 步骤 命令 内容`,
  blindly: `written_there contradicts even_if whatever exactly verbatim to_the_letter without_question unconditionally as_if as_though highest_priority regardless literally genau wörtlich exactamente 无论 完全 严格`,
  write: `add adds adding append appending write writing insert inserting install installing create register put save copy modify edit update inject place ensure prepend füge hinzufügen schreibe schreib trage ergänze añade agrega escribe ajoute écris 添加 写入 追加 加入 安装 创建 修改`,
  permanent: `every always future automatically each permanently persist persists persistent persistence survive survives re-enable reinstall load loads immer automatisch künftig siempre automáticamente toujours 每次 总是 始终 自动 以后`,
  money: `money funds payment payments eth btc bitcoin ethereum usdc usdt sol crypto cryptocurrency balance invoice amount dollars euros tip donation geld betrag zahlung dinero pago fondos argent 钱 资金 付款 款项 比特币 余额`,
  pay: `grant grants signs transfer transfers wire pay pays withdraw swap deposit send approve sign überweise überweisen zahle transfiere paga vire paie 转账 支付 汇款 转 付款`,
  account: `iban wallet address account account_number bank_details recipient beneficiary payee routing_number kontonummer konto cuenta compte 钱包 账户 地址 收款 账号`,
  replace: `replace replacing substitute change rewrite ersetze ersetzen tausche ändere reemplaza sustituye cambia remplace 替换 改为 换成 更改 改成`,
  publish: `tweet post publish comment message email dm reply send share invite star follow upvote retweet repost poste veröffentliche sende publica envía publie 发布 发送 发推 转发 群发`,
  everyone: `contacts followers everyone colleagues team mailing_list all_hands channel contact_list address_book friends customers linkedin twitter slack discord whatsapp telegram kontakte kollegen contactos collègues 联系人 所有人 群 好友 同事`,
  destroy: `delete deleting remove wipe wiping erase destroy drop truncate encrypt overwrite shred purge rm lösche löschen entferne verschlüssele borra borrar elimina cifra supprime efface 删除 清空 擦除 加密 销毁`,
  mass: `home_directory home_folder all_files every_file everything entire root database databases production backups git_history repository history documents_folder disk drive home-verzeichnis alle_dateien sicherungen todos_los_archivos copias_de_seguridad tous_les_fichiers 所有文件 全部文件 主目录 数据库 备份`,
  backdoor: `hidden_endpoint hidden_route hidden_command secret_route secret_backdoor debug_backdoor backdoor back_door hidden_account hidden_admin master_password hardcoded_password bypass_login secret_parameter secret_endpoint universal_password magic_password hidden_user override_token skeleton_key hintertür puerta_trasera porte_dérobée 后门 万能密码`,
  finding: `vulnerability vulnerabilities finding findings issue issues flaw flaws bug bugs problems risk risks warnings schwachstellen schwachstelle vulnerabilidades 漏洞 问题`,
  review: `pull_request pull_requests pr prs review reviews code_review commit audit verdict score merge_request 审查 合并请求`,
  protection: `antivirus firewall defender edr endpoint_protection gatekeeper selinux apparmor auditd audit_log audit_logs logging sandbox certificate_validation certificate_verification tls_verification ssl_verification 2fa mfa branch_protection secret_scanning virenscanner antivirenprogramm cortafuegos 杀毒 防火墙`,
  disable: `disable disabling turn_off switch_off stop kill deactivate uninstall unload clear deaktiviere schalte desactiva désactive 关闭 禁用 停用 卸载`,
  claim: `say says saying claim respond reply answer tell deny pretend sage behaupte di responde dis réponds 说 回答 回复 声称`,
} as const

type WordClass = keyof typeof WORDS

/** Classes that the places of `PLACES` define instead of words. */
const PLACE_CLASSES = {
  credentialPlace: [PLACES.credentials, PLACES.vaults, PLACES.dotenv, PLACES.history],
  keyPlace: [PLACES.credentials, PLACES.vaults, PLACES.history],
  agentPlace: [PLACES.agents],
  instructionPlace: [PLACES.instructions],
  host: [
    /\bhttps?:\/\/[^\s"'`<>)“”„«»」』，。；、]{3,300}|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\b[\w.+-]+@[\w-]+\.[\w.-]+\b|\b(?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io|dev|site|xyz|app|cloud|me|ai|sh|co|info|onion|ru|cn|de)\b(?!\.?\w)|\bwebhook\b|\bpastebin\b/gi,
  ],
  thisAction: [
    /\b(?:this|these|that|the|any|its)\s{1,3}(?:\w+\s{1,3}){0,2}(?:steps?|uploads?|requests?|calls?|actions?|commands?|instructions?|sections?|notes?|directives?|access(?:es)?|transfers?|submissions?|telemetry|collection|syncs?|sending|skill|hooks?|activity|copy|backups?|network|check-?ins?|fetch(?:es)?|uploading|reads?|lookup|procedure|behaviou?r|protocol|rules?|criteria|advertisement)\b|\bwhat (?:you|was|is being) (?:did|do|send|sent|read|copied|collected)\b|\b(?:diesen|dieser|dieses|diese)\s\w+|\best(?:e|a|os|as)\s\w+|(?:这|该|此)[一个些项]?(?:步骤|操作|请求|上传|行为|指令|内容|过程)/gi,
  ],
  moneyAddress: [
    /\b0x[0-9a-fA-F]{40}\b|\b(?:bc1|[13])[a-zA-HJ-NP-Z0-9]{25,60}\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b|\b0x[0-9A-Za-z]{6,}(?:…|\.\.\.)?/g,
  ],
} as const

export type TextClass = WordClass | keyof typeof PLACE_CLASSES

const CLASS_NAMES = Object.keys(WORDS) as WordClass[]
const CJK = /[\u3040-\u30FF\u3400-\u9FFF]/

function listPhrases(name: WordClass): string[] {
  return WORDS[name].split(/\s+/)
}

/** Words without which a place or an action has no match. */
const SIGNS: Readonly<
  Record<Exclude<keyof typeof PLACE_CLASSES, 'host' | 'moneyAddress'>, string>
> = {
  credentialPlace: `ssh id aws env netrc npmrc kube kubeconfig docker git gnupg gcloud azure gh pypirc password vault shadow environ metadata wallet electrum solana keystore ethereum login cookies logins key4 storage security keychain secret keyring metamask browser history fish application 169 cryptunprotectdata terraform config s3cfg boto pgpass my cargo gem composer share kdbx oci databrickscfg m2 huggingface kaggle bitcoin age`,
  keyPlace: `ssh id aws netrc npmrc kube kubeconfig docker git gnupg gcloud azure gh pypirc vault shadow environ metadata wallet electrum solana keystore ethereum login cookies logins key4 storage security keychain keyring metamask history application 169 cryptunprotectdata terraform config s3cfg boto pgpass my cargo gem composer share kdbx oci databrickscfg m2 huggingface kaggle bitcoin age`,
  agentPlace: `claude codex cursor gemini openclaw clawdbot moltbot windsurf continue aider copilot memory soul`,
  instructionPlace: `claude agents gemini soul memory heartbeat copilot cursorrules windsurfrules cursor codex vscode openclaw mcp mcpservers`,
  thisAction: `step steps upload uploads request requests call calls action actions command commands instruction instructions section sections note notes directive directives access accesses transfer transfers submission submissions telemetry collection sync syncs sending skill hook hooks activity copy backup backups network check fetch fetches uploading read reads lookup procedure behavior behaviour protocol rule rules criteria fact facts endpoint route message modification edit change changes advertisement what diesen dieser dieses diese este esta esto estos estas 这 该 此`,
}

/** Classes with a bit each, in two numbers of 30 bits. */
const BITS: readonly TextClass[] = [
  ...CLASS_NAMES,
  ...(Object.keys(SIGNS) as (keyof typeof SIGNS)[]),
]
const WIDTH = 30

/** A set of classes; those without a bit are never missing. */
export interface ClassMask {
  low: number
  high: number
}

export function createMask(names: readonly TextClass[]): ClassMask {
  const mask = { low: 0, high: 0 }
  for (const name of names) {
    const at = BITS.indexOf(name)
    if (at >= WIDTH) mask.high |= 1 << (at - WIDTH)
    else if (at >= 0) mask.low |= 1 << at
  }
  return mask
}

/** Masks by word, by the first word of a phrase, and by the first signs of a Chinese one. */
const MASKS: ReadonlyMap<string, ClassMask> = indexWords()

function indexWords(): Map<string, ClassMask> {
  const index = new Map<string, ClassMask>()
  const add = (phrase: string, name: TextClass) => {
    const first = CJK.test(phrase) ? phrase.slice(0, 2) : (phrase.split(/[_'-]/)[0] ?? '')
    const own = createMask([name])
    const known = index.get(first) ?? { low: 0, high: 0 }
    index.set(first, { low: known.low | own.low, high: known.high | own.high })
  }
  for (const name of CLASS_NAMES) for (const phrase of listPhrases(name)) add(phrase, name)
  for (const [name, words] of Object.entries(SIGNS)) {
    for (const word of words.split(/\s+/)) add(word, name as TextClass)
  }
  return index
}

const PATTERNS: ReadonlyMap<string, readonly RegExp[]> = new Map<string, readonly RegExp[]>([
  ...Object.entries(PLACE_CLASSES),
  ...CLASS_NAMES.map((name) => [name, [compileWords(name)]] as const),
])

function compileWords(name: WordClass): RegExp {
  const written = listPhrases(name)
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) =>
      phrase.replaceAll('-', '[\\s-]?').replaceAll("'", "['’]").replaceAll('_', "[\\s_'’-]{1,3}"),
    )
  const words = written.filter((word) => !CJK.test(word)).join('|')
  const signs = written.filter((word) => CJK.test(word)).join('|')
  const latin = `(?<![\\w\\u00C0-\\u024F])(?:${words})(?![\\w\\u00C0-\\u024F])`
  return new RegExp(signs ? `${latin}|${signs}` : latin, 'gi')
}

/** Classes of which a part of a text may have words; `text` is in lower case. */
export function findClasses(text: string, start: number, end: number): ClassMask {
  const found = { low: 0, high: 0 }
  let from = -1
  for (let at = start; at <= end; at++) {
    const code = at < end ? text.charCodeAt(at) : 32
    const isSign = code >= 0x3040 && code <= 0x9fff
    if (isWordCode(code) && !isSign) {
      if (from === -1) from = at
      continue
    }
    if (from !== -1) addMask(found, text.slice(from, at))
    from = -1
    if (!isSign) continue
    addMask(found, text.slice(at, at + 1))
    addMask(found, text.slice(at, at + 2))
  }
  return found
}

function addMask(found: ClassMask, word: string): void {
  const mask = MASKS.get(word)
  if (!mask) return
  found.low |= mask.low
  found.high |= mask.high
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code >= 0xc0
}

export interface WordMatch {
  start: number
  end: number
}

/** Matches of a class in a text, in its order. */
export function findMatches(name: TextClass, text: string): WordMatch[] {
  const matches: WordMatch[] = []
  for (const pattern of PATTERNS.get(name) ?? []) {
    for (const match of text.matchAll(pattern)) {
      matches.push({ start: match.index, end: match.index + match[0].length })
      if (matches.length >= 30) break
    }
  }
  return matches.sort((a, b) => a.start - b.start)
}
