import type { SafetySource } from './safety-finding.ts'
import { memoize } from '../../util/memoize.ts'

/** How much a host says about itself; a `named` one has a word of the skill in its name. */
export type HostKind = 'own' | 'known' | 'declared' | 'named' | 'unknown' | 'odd'

const URL_HOST =
  /\b(?:https?|wss?|ftps?|ssh|git|tcp|udp|smtp):\/\/(?:[^\s/@"'`<>]{1,100}@)?(\[[0-9a-f:]{2,60}\]|[\p{L}\p{N}*_-][\p{L}\p{N}.*_-]{0,250})/giu

/** Hosts of connections that are not written as URLs. */
const BARE_TARGET =
  /\/dev\/(?:tcp|udp)\/([\w.-]+)\/|\(\(?\s*["']([\w-]+(?:\.[\w-]+)+)["']\s*,\s*\d|\bhost(?:name)?["']?\s*[:=]\s*["']([\w-]+(?:\.[\w-]+)+)["']|\b(?:nc|ncat|netcat|nslookup|dig|ping|telnet)\s[^\n|;]{0,160}?((?:[\w-]+\.)+[a-z]{2,10}|\d+(?:\.\d+){3})\b|\b(?:curl|wget)\s+(?:-\S+\s+)*["']?((?:[\w-]+\.)+[a-z]{2,10}|\d+(?:\.\d+){3})(?=[/:]|\s*[|]|["']?\s*$)|\b(?:docker\s+(?:run|pull)\s[^\n]{0,200}?\s|--image[= ])((?:[\w-]+\.)+[a-z]{2,10})(?=[/:])|-connect\s+([\w.-]+):\d|[\w.+-]+@((?:[\w-]+\.)+[a-z]{2,10})\b|\}?\.((?:[a-z0-9-]+\.)+(?:example|test|invalid|com|net|org|io))["'`]/gi

export function findHosts(text: string): string[] {
  const urls = [...text.matchAll(URL_HOST)].map((match) => match[1] ?? '')
  const bare = /tcp|["'@]|nslookup|dig|\bnc|curl|wget|docker|image|-connect/.test(text)
    ? [...text.matchAll(BARE_TARGET)].map((match) => match.slice(1).find(Boolean) ?? '')
    : []
  const hosts = [...urls, ...bare]
  return hosts.map((host) => host.toLowerCase().replace(/\.+$/, ''))
}

const OWN =
  /^(?:localhost|127\.[\d.]+|0\.0\.0\.0|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[::1?\]|.*\.local(?:host)?|.*\.internal|host\.docker\.internal)$/
const ODD =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|0x[0-9a-f]+|\d{8,10}|\[[0-9a-f:]+\]|xn--.*|.*\.(?:onion|xn--[^.]+|zip|mov|tk|ml|cf|gq))$|(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|hookbin\.com|pipedream\.net|beeceptor\.com|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|serveo\.net|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.(?:fun|me|pro|live|site|online)|dnslog\.cn|ceye\.io|canarytokens\.com|pastebin\.com|paste\.(?:ee|rs)|hastebin\.com|rentry\.co|ghostbin\.\w+|dpaste\.\w+|ix\.io|termbin\.com|0x0\.st|transfer\.sh|file\.io|temp\.sh|catbox\.moe|anonfiles\.com|gofile\.io|bit\.ly|tinyurl\.com|is\.gd|goo\.gl|cutt\.ly|rb\.gy|shorturl\.at|duckdns\.org|no-ip\.\w+|ddns\.net|glot\.io)$/

/** Names that stand for a host in examples. */
const PLACEHOLDER =
  /^(?:(?:www|api|app|auth|cdn|docs|mail|blog|shop|staging|dev|my|your|sub|foo|bar|test)\.)?(?:example\.(?:com|org|net)|test\.com|domain\.com|company\.com|mysite\.com|acme\.com|foo\.com|site\.com|host\.com|email\.com)$|(?:^|[.-])(?:your|my|some)[-_.]?(?:\w+)?|^(?:host|domain|server|url|endpoint|hostname|base|api|ip|xxx+|\.+|\*+)$/

const KNOWN = new Set(
  `github.com githubusercontent.com github.io gitlab.com bitbucket.org npmjs.org npmjs.com pypi.org pythonhosted.org
  python.org nodejs.org rust-lang.org rustup.rs crates.io golang.org go.dev bun.sh deno.land deno.com astral.sh
  docker.com docker.io nvcr.io ghcr.io quay.io gcr.io pkg.dev public.ecr.aws brew.sh homebrew.sh apple.com microsoft.com windows.net azure.com google.com googleapis.com gstatic.com
  anthropic.com claude.ai claude.com openai.com chatgpt.com amazonaws.com aws.amazon.com cloudflare.com vercel.com vercel.app
  netlify.com netlify.app heroku.com fly.io railway.app render.com supabase.com supabase.co stripe.com slack.com
  discord.com telegram.org notion.com notion.so linear.app atlassian.com atlassian.net jira.com figma.com
  huggingface.co llvm.org bitwarden.com thegraph.com posthog.com openweathermap.org codecov.io kubernetes.io k8s.io helm.sh hashicorp.com terraform.io ubuntu.com debian.org fedoraproject.org
  archlinux.org nixos.org conda.io anaconda.com anaconda.org mozilla.org jsdelivr.net unpkg.com cdnjs.com esm.sh
  wikipedia.org wikimedia.org arxiv.org nih.gov sdk.cloud.google.com get.pnpm.io pnpm.io yarnpkg.com nvm.sh sdkman.io
  mise.run mise.jdx.dev starship.rs ohmyz.sh ollama.com ollama.ai tailscale.com sentry.io datadoghq.com
  grafana.com elastic.co mongodb.com redis.io postgresql.org mysql.com sqlite.org x.com twitter.com facebook.com
  linkedin.com youtube.com reddit.com shopify.com twilio.com sendgrid.com mailgun.net resend.com airtable.com
  openrouter.ai groq.com mistral.ai cohere.ai cohere.com deepseek.com perplexity.ai elevenlabs.io replicate.com
  t.me t.co telegram.me core.telegram.org googleusercontent.com tavily.com exa.ai firecrawl.dev serper.dev brave.com jina.ai context7.com playwright.dev pulumi.com
  foundry.paradigm.xyz paradigm.xyz solana.com ethereum.org etherscan.io opam.ocaml.org ghcup.haskell.org haskell.org
  install.python-poetry.org python-poetry.org raw.githubusercontent.com semgrep.dev trufflesecurity.com aquasec.com
  codeberg.org sourceforge.net gnu.org kernel.org apache.org maven.org gradle.org jetbrains.com dot.net aka.ms
  nodesource.com rclone.org code-server.dev dokku.com cloudsmith.io flashinfer.ai molt.bot openclaw.ai clawhub.ai
  tencentcloudapi.com aliyuncs.com aliyun.com baidu.com qq.com weixin.qq.com feishu.cn larksuite.com dingtalk.com`
    .split(/\s+/)
    .filter(Boolean),
)

/** The kind of a host for a skill: a service that the skill names or is named after is declared. */
export function classifyHost(skill: SafetySource, host: string): HostKind {
  const name = host.replace(/^\*\./, '')
  if (OWN.test(name) || PLACEHOLDER.test(name) || !/[.[]/.test(name)) return 'own'
  if (ODD.test(name)) return 'odd'
  const declared = listDeclaredHosts(skill)
  const labels = name.split('.')
  for (let at = 0; at < labels.length - 1; at++) {
    const parent = labels.slice(at).join('.')
    if (declared.has(parent)) return 'declared'
    if (KNOWN.has(parent)) return 'known'
  }
  const description = skill.manifest.description.toLowerCase()
  if (description.includes(labels.slice(-2).join('.'))) return 'named'
  return isNamedAfter(skill, labels) ? 'named' : 'unknown'
}

/** Words of hosts that say nothing about their owner. */
const COMMON =
  /^(?:www|api|app|apps|get|install|cdn|static|docs?|dev|test|example|com|org|net|io|ai|co|sh|cloud|data|files?|skills?|agents?|tools?|code|hub|web|site|mail|email|blog|news|helper|assistant|manager|service|services|server|client|update|updates|setup|sync|format|formatter|notes?|report|reports|collect|log|logs|metrics|stats|telemetry|analytics|backup|deploy|check|checker|review|text|csv|json|pdf|image|images|git|project|evil|attacker)$/

/** True if the host has a word of the skill's name or description that names a product. */
function isNamedAfter(skill: SafetySource, labels: readonly string[]): boolean {
  const words = listPurposeWords(skill)
  return labels.slice(0, -1).some((label) => {
    const plain = label.replace(/[-_]/g, '')
    if (plain.length < 4 || COMMON.test(plain)) return false
    return words.some((word) => word.length >= 4 && !COMMON.test(word) && plain.startsWith(word))
  })
}

const listPurposeWords = memoize((skill: SafetySource): string[] => {
  const name = skill.manifest.name || getBaseName(skill.dir)
  const products = skill.manifest.description.match(/\b[A-Z][A-Za-z0-9]{3,}\b/g) ?? []
  const words = [...name.split(/[^A-Za-z0-9]+/), ...products.slice(1)]
  return [...new Set(words.map((word) => word.toLowerCase()).filter((word) => word.length >= 4))]
})

function getBaseName(dir: string): string {
  return dir.slice(dir.lastIndexOf('/') + 1)
}

const listDeclaredHosts = memoize((skill: SafetySource): ReadonlySet<string> => {
  const { permissions, frontMatter } = skill.manifest
  const { compatibility } = frontMatter
  const texts = [
    ...permissions.network,
    ...(typeof compatibility === 'string' ? [compatibility] : []),
  ]
  return new Set(texts.flatMap(findHosts).map(withoutWildcard))
})

function withoutWildcard(host: string): string {
  return host.replace(/^(?:\*\.|www\.)/, '')
}

/** The worst kind of the hosts in a text; undefined if it has none. */
export function classifyHosts(skill: SafetySource, text: string): HostKind | undefined {
  const kinds = findHosts(text).map((host) => classifyHost(skill, host))
  return (['odd', 'unknown', 'named', 'declared', 'known', 'own'] as const).find((kind) =>
    kinds.includes(kind),
  )
}
