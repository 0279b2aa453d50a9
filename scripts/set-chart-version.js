// Gives the Helm chart the version of the package. `npm run version` calls it.
import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const file = 'deploy/helm/skills-fleet/Chart.yaml'
const chart = readFileSync(file, 'utf8')
writeFileSync(file, chart.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`))
