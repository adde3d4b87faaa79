-- A user of Neovim and an agent of theirs, over one `understudy lsp`. Writes what happened, as JSON,
-- to $REPORT; the test beside this file judges it. Runs in Neovim 0.7 and newer.
local report = {}
local patience_ms = 60000

local function start()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FOLDER .. "/main.py"))
  local id = vim.lsp.start_client({
    name = "understudy",
    cmd = vim.fn.json_decode(vim.env.COMMAND),
    root_dir = vim.env.FOLDER,
    init_options = { trusted = true },
    on_exit = function(code) report.exit_code = code end,
  })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  assert(vim.wait(patience_ms, function() return client.initialized end, 10), "not initialized")
  return id, client
end

local function buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

local function main()
  local id, client = start()
  local number = vim.api.nvim_get_current_buf()

  local function ask(method, params)
    local answer = client.request_sync("understudy/" .. method, params, patience_ms, number)
    assert(answer, method .. ": no answer")
    return answer
  end

  local function rehearse(title, old, new)
    local branch = ask("branch/create", { title = title }).result.branch
    local edit = { kind = "replace", path = "main.py", old = old, new = new }
    local edited = ask("branch/edit", { branch = branch, edits = { edit } })
    return branch, edited
  end

  -- The agent breaks a call; what it gave up leaves no trace.
  local branch, edited = rehearse("breaks a call", "late_fee(", "later_fee(")
  report.edited = edited.result
  report.check = ask("branch/check", { branch = branch }).result
  local _, refused = rehearse("matches nothing", "no such text", "")
  report.refused = refused.err
  report.untouched = buffer()

  -- The user types on another line, then accepts.
  vim.api.nvim_buf_set_lines(0, 0, 1, false, { '"""Typed by the user."""' })
  report.accepted = ask("branch/accept", { branch = branch }).result
  report.merged = buffer()

  -- The user types on the very line that the agent has changed.
  branch = rehearse("collides", "def main", "def first")
  local line = vim.fn.search("def main")
  vim.api.nvim_buf_set_lines(0, line - 1, line, false, { "def mine() -> None:" })
  local before = buffer()
  report.conflict = ask("branch/accept", { branch = branch }).result
  report.is_kept = buffer() == before

  report.diagnostics = #vim.diagnostic.get(0)
  vim.lsp.stop_client(id)
  vim.wait(patience_ms, function() return report.exit_code ~= nil end, 10)
end

local is_right, problem = pcall(main)
report.problem = not is_right and tostring(problem) or nil
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.REPORT)
vim.cmd(is_right and "qall!" or "cquit!")
