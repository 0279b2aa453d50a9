// Runs a skill on the server. SKILLS_URL is its address, SKILLS_TOKEN a token of its token file.
import { createClient, ProtocolError } from 'skills-protocol/client'

const client = createClient({
  url: process.env['SKILLS_URL'] ?? 'http://127.0.0.1:8080',
  token: process.env['SKILLS_TOKEN'],
})
const [name = 'examples.greet', args = '{"name": "Ada"}'] = process.argv.slice(2)

try {
  const result = await client.executeSkillOrThrow({ name, args: JSON.parse(args) })
  console.log(JSON.stringify(result.output))
} catch (error) {
  if (!(error instanceof ProtocolError)) throw error
  console.error(`${error.message} (${error.code})`)
  process.exitCode = 1
}
