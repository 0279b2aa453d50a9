/** Hosts of the services whose tokens agents and developers have, by a part of the variable's name. */
const SERVICES: readonly (readonly [part: RegExp, hosts: readonly string[]])[] = [
  [/OPENAI|CHATGPT|CODEX/, ['openai.com', 'chatgpt.com', 'openai.azure.com']],
  [/ANTHROPIC|CLAUDE/, ['anthropic.com', 'claude.ai', 'claude.com']],
  [/^GH_|GITHUB/, ['github.com', 'githubusercontent.com', 'ghcr.io']],
  [/GITLAB/, ['gitlab.com']],
  [/AWS/, ['amazonaws.com', 'aws.amazon.com']],
  [/GOOGLE|GEMINI|GCP/, ['googleapis.com', 'google.com']],
  [/AZURE/, ['azure.com', 'windows.net', 'microsoftonline.com']],
  [/NPM/, ['npmjs.org', 'npmjs.com']],
  [/PYPI|TWINE/, ['pypi.org']],
  [/HUGGING|^HF_/, ['huggingface.co']],
  [/SLACK/, ['slack.com']],
  [/STRIPE/, ['stripe.com']],
  [/DISCORD/, ['discord.com', 'discordapp.com']],
  [/TELEGRAM/, ['telegram.org']],
  [/SENDGRID/, ['sendgrid.com']],
  [/CLOUDFLARE/, ['cloudflare.com']],
  [/DOCKER/, ['docker.io', 'docker.com']],
]

/** Lists the hosts to which the secret in a variable belongs. */
export function listSecretHosts(name: string): readonly string[] {
  return SERVICES.filter(([part]) => part.test(name)).flatMap(([, hosts]) => hosts)
}
