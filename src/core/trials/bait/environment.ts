import type { MarkerMint } from './markers.ts'
import { listSecretHosts } from './secret-hosts.ts'

/** Beginnings of the values, as their services write them. */
const SECRETS: Readonly<Record<string, string>> = {
  OPENAI_API_KEY: 'sk-proj-',
  ANTHROPIC_API_KEY: 'sk-ant-api03-',
  GITHUB_TOKEN: 'ghp_',
  GH_TOKEN: 'gho_',
  AWS_SECRET_ACCESS_KEY: '',
  AWS_SESSION_TOKEN: 'IQoJb3JpZ2luX2Vj',
  GEMINI_API_KEY: 'AIza',
  GOOGLE_API_KEY: 'AIza',
  NPM_TOKEN: 'npm_',
  HF_TOKEN: 'hf_',
  SLACK_BOT_TOKEN: 'xoxb-',
  STRIPE_SECRET_KEY: 'sk_live_',
  GITLAB_TOKEN: 'glpat-',
}

interface DeclaredSecrets {
  names: readonly string[]
  /** Hosts that the manifest declares. */
  hosts: readonly string[]
}

/** Creates the secret variables: those that agents have, and those that the manifest declares. */
export function createSecretVariables(
  mint: MarkerMint,
  { names, hosts }: DeclaredSecrets,
): Record<string, string> {
  const all = new Set([...Object.keys(SECRETS), ...names])
  const variables = [...all].map((name) => {
    const declared = names.includes(name) ? hosts : []
    const marker = mint.create(`the variable ${name}`, {
      hosts: [...listSecretHosts(name), ...declared],
    })
    return [name, `${SECRETS[name] ?? ''}${marker}`] as const
  })
  return { ...Object.fromEntries(variables), AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE' }
}
