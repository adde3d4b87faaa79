-- A user of Neovim who reviews an agent's branch by nothing but what every LSP client has: commands,
-- code actions, lenses. Writes what happened, as JSON, to $REPORT; the test beside judges it.
local report = { offered = {} }
local patience_ms = 60000
local wanted = nil

vim.ui.select = function(items, options, on_choice)
  for _, item in ipairs(items) do
    local title = options.format_item(item)
    table.insert(report.offered, title)
    if wanted and vim.startswith(title, wanted) then
      wanted = nil
      return on_choice(item, 1)
    end
  end
  on_choice(nil)
end

local function buffer()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") .. "\n"
end

local function main()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FOLDER .. "/main.py"))
  local id = vim.lsp.start_client({
    name = "understudy",
    cmd = vim.fn.json_decode(vim.env.COMMAND),
    root_dir = vim.env.FOLDER,
    init_options = { trusted = true, review = true },
    on_exit = function(code) report.exit_code = code end,
  })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  assert(vim.wait(patience_ms, function() return client.initialized end, 10), "not initialized")

  local function ask(method, params)
    local answer = client.request_sync(method, params, patience_ms, 0)
    assert(answer, method .. ": no answer")
    return answer.result
  end
  local document = { textDocument = vim.lsp.util.make_text_document_params(0) }
  local function command(name) ask("workspace/executeCommand", { command = name }) end
  local function choose(piece, title)
    vim.fn.search("\\V" .. piece, "cw")
    wanted = title
    vim.lsp.buf.code_action()
    assert(vim.wait(patience_ms, function() return wanted == nil end, 10), "not offered: " .. title)
  end

  -- The agent's work, in the same server.
  local branch = ask("understudy/branch/create", { title = "three changes" }).branch
  ask("understudy/branch/edit", { branch = branch, edits = vim.fn.json_decode(vim.env.EDITS) })

  report.lenses_before = ask("textDocument/codeLens", document)
  command("understudy.review")
  report.lenses = ask("textDocument/codeLens", document)
  vim.fn.search("Hinge", "cw")
  report.hover = ask("textDocument/hover", vim.lsp.util.make_position_params(0, "utf-16"))
  choose("Hinge", "Accept")
  assert(vim.wait(patience_ms, function() return buffer():find('"Hinge", 41') end, 10), buffer())
  report.accepted = buffer()
  choose("fee when late", "Send back")
  vim.wait(patience_ms, function()
    report.asks = ask("understudy/branch/asks", { branch = branch }).asks
    return #report.asks == 1
  end, 50)
  choose("from datetime", "Reject")
  vim.wait(patience_ms, function()
    report.files = ask("understudy/branch/files", { branch = branch }).files
    return #report.files[1].hunks == 1
  end, 50)
  report.after = buffer()
  command("understudy.review.close")
  report.lenses_after = ask("textDocument/codeLens", document)
  report.branch = branch
  vim.lsp.stop_client(id)
  vim.wait(patience_ms, function() return report.exit_code ~= nil end, 10)
end

local is_right, problem = pcall(main)
report.problem = not is_right and tostring(problem) or nil
vim.fn.writefile({ vim.fn.json_encode(report) }, vim.env.REPORT)
vim.cmd(is_right and "qall!" or "cquit!")
