import { createClient } from 'skills-protocol/client'

const client = createClient({ url: location.origin })
const find = (id) => document.getElementById(id)

for await (const { name, kind } of client.skills()) {
  // Instructions have no code to run.
  if (kind === 'action') find('skill').append(new Option(name))
}
find('skill').addEventListener('change', () => void showForm())
find('inputs').addEventListener('submit', (event) => void runSkill(event))
await showForm()

/** Builds the form from the inputs that the manifest declares. */
async function showForm() {
  const { skill } = await client.describeSkill({ name: find('skill').value })
  const { description, inputs = {} } = skill.manifest
  find('description').textContent = description
  find('result').textContent = ''
  const button = document.createElement('button')
  button.textContent = 'Run'
  find('inputs').replaceChildren(...Object.entries(inputs).map(createField), button)
}

function createField([name, input]) {
  const control = createControl(input)
  control.name = name
  control.required = input.required === true && input.type !== 'boolean'
  control.dataset.type = input.type
  const label = document.createElement('label')
  label.append(`${name}: ${input.description ?? ''}`, control)
  return label
}

function createControl({ type, enum: choices, default: value, required }) {
  if (choices) {
    const select = document.createElement('select')
    const hasEmpty = value === undefined && required !== true
    select.append(...(hasEmpty ? ['', ...choices] : choices).map((choice) => new Option(choice)))
    if (value !== undefined) select.value = value
    return select
  }
  if (['object', 'array', 'any'].includes(type)) {
    const area = document.createElement('textarea')
    area.placeholder = 'JSON'
    if (value !== undefined) area.value = JSON.stringify(value)
    return area
  }
  const field = document.createElement('input')
  field.type =
    { boolean: 'checkbox', blob: 'file', number: 'number', integer: 'number' }[type] ?? 'text'
  if (type === 'number') field.step = 'any'
  if (type === 'boolean') field.checked = value === true
  else if (value !== undefined) field.value = value
  return field
}

async function runSkill(event) {
  event.preventDefault()
  find('logs').textContent = ''
  find('result').textContent = 'Running…'
  try {
    const args = await readArguments(event.target)
    const name = find('skill').value
    const result = await client.executeSkillOrThrow({ name, args }, { onEvent: showLog })
    find('result').textContent = JSON.stringify(result.output, null, 2)
  } catch (error) {
    // ProtocolError, RunFailedError or ConnectionError
    find('result').textContent = `${error.name}: ${error.message}`
  }
}

function showLog(event) {
  if (event.type === 'log') find('logs').append(event.text)
}

async function readArguments(form) {
  const args = {}
  for (const control of form.querySelectorAll('[name]')) {
    const value = await readValue(control)
    if (value !== undefined) args[control.name] = value
  }
  return args
}

/** Returns undefined for an empty field, so that the default of the input applies. */
async function readValue(control) {
  const { type } = control.dataset
  if (type === 'boolean') return control.checked
  if (control.value === '') return undefined
  if (type === 'blob') return (await client.uploadBlob(control.files[0])).blob_id
  if (type === 'string') return control.value
  return JSON.parse(control.value)
}
