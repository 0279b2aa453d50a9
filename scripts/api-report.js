// Writes the public types of each package export to docs/api, so that a change of them shows in review.
// With --check it writes nothing and fails where a report is stale. Reads dist/, so build first.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor'
import { readFlags } from './read-flags.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const isCheck = readFlags('check').has('check')
const { exports } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
if (!existsSync(`${ROOT}dist/index.d.ts`)) {
  console.error('dist/ is missing, and the reports are made from it. Type: npm run build')
  process.exit(3)
}
const temporary = `${ROOT}node_modules/.cache/api-report`
mkdirSync(temporary, { recursive: true })
mkdirSync(`${ROOT}docs/api`, { recursive: true })

const entries = Object.entries(exports).filter(([, target]) => target.types)
const configs = entries.map(([name, { types }]) => configure(name, types))
// One program for all entry points: most of the time goes into reading and checking the files that they share.
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
})
const stale = configs.filter((config) => !isCurrent(config)).map(readReportName)
rmSync(temporary, { recursive: true, force: true })
if (isCheck && stale.length > 0) {
  console.error(`Reports of public types are stale: ${stale.join(', ')}. Type: npm run api`)
  process.exitCode = 1
} else if (!isCheck) console.log(`${configs.length} reports, ${stale.length} changed`)

/** `./agent/openai-chat` becomes docs/api/agent-openai-chat.api.md. */
function configure(name, types) {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
  }
  const silent = { default: { logLevel: 'none' } }
  return ExtractorConfig.prepare({
    packageJsonFullPath: `${ROOT}package.json`,
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: ROOT,
      mainEntryPointFilePath: types,
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      apiReport: {
        enabled: true,
        includeForgottenExports: false,
        reportFileName: name.replace(/^\.\/?/, '').replaceAll('/', '-') || 'index',
        reportFolder: `${ROOT}docs/api`,
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        extractorMessageReporting: silent,
        compilerMessageReporting: { default: { logLevel: 'error' } },
        tsdocMessageReporting: silent,
      },
    },
  })
}

/** Compares the report of an entry point with its file, and writes it unless this is a check. */
function isCurrent(config) {
  const messageCallback = (message) => {
    message.handled = message.logLevel !== 'error'
  }
  const options = { compilerState, localBuild: !isCheck, messageCallback }
  return !Extractor.invoke(config, options).apiReportChanged
}

function readReportName({ reportFilePath }) {
  return reportFilePath.slice(ROOT.length)
}
